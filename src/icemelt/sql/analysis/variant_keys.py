"""Compare, group, sort and join variants by content: by keys that Spark can compare.

Spark compares no VARIANT. ICEMELT_VARIANT_KEY makes bytes of one, equal for equal contents and
ordered as the contents are. A double of a variant is equal to an exact number, and stays a double
where a query returns it: ICEMELT_VARIANT_DOUBLES tells which numbers are some. Of equal variants
that with the least of these bits is returned.

    SELECT v:a, COUNT(*) FROM t GROUP BY v:a
    SELECT ICEMELT_VARIANT_TYPED(ICEMELT_VARIANT_KEY(v:a), MIN(ICEMELT_VARIANT_DOUBLES(v:a))),
    COUNT(*) FROM t GROUP BY ICEMELT_VARIANT_KEY(v:a)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sqlglot import exp

from icemelt.names import fold
from icemelt.schema import DataType, Primitive
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.analysis.aliases import Aliases
from icemelt.sql.analysis.coercion import coerce
from icemelt.sql.analysis.kinds import is_variant, set_kind
from icemelt.sql.analysis.memberships import QUERY_VALUE, compare_query
from icemelt.sql.analysis.refused_parts import OWN_CALL
from icemelt.sql.analysis.scopes import Scope
from icemelt.sql.analysis.trees import columns_of_tuples, plain_name, quoted_column, replace_node
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = [
    "compare_by_keys",
    "group_by_keys",
    "output_sorted_by",
    "select_distinct_by_keys",
    "sort_by_keys",
    "unite_by_keys",
]

_KEY, _OF_KEY = "ICEMELT_VARIANT_KEY", "ICEMELT_VARIANT_OF_KEY"
# a key with the doubles behind it, the bits of the doubles, and the variant of a key and such bits
_TYPED_KEY, _DOUBLES = "ICEMELT_VARIANT_TYPED_KEY", "ICEMELT_VARIANT_DOUBLES"
_TYPED = "ICEMELT_VARIANT_TYPED"
_VARIANT, _BINARY, _LONG = Primitive("variant"), Primitive("binary"), Primitive("long")
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_SETS = (exp.Cube, exp.Rollup, exp.GroupingSets, exp.Tuple, exp.Paren)
_AROUND_CALLS = (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls)
_GROUPINGS = frozenset({"GROUPING", "GROUPING_ID"})
# functions that give one of their arguments, which they compare
_CHOOSING = frozenset({"GREATEST", "LEAST", "GREATEST_IGNORE_NULLS", "LEAST_IGNORE_NULLS"})
_CHOOSING_AGGREGATES = frozenset({"MIN", "MAX", "MODE"})
# aggregates leave NULLs out, and JSON nulls as well
_LEAVING_NULLS_OUT = _CHOOSING_AGGREGATES | {"APPROX_COUNT_DISTINCT", "HLL", "MIN_BY", "MAX_BY"}
# functions that compare arguments, and give something else: the first argument that is compared
_COMPARING = {
    "EQUAL_NULL": 0,
    "APPROX_COUNT_DISTINCT": 0,
    "HLL": 0,
    "MIN_BY": 1,
    "MAX_BY": 1,
}
_OUTER_PARTS = ("with_", "order", "limit", "offset")


def compare_by_keys(node: exp.Expr) -> None:
    """Compare the variants among the operands of a node by their keys, in place.

    The operands are resolved, and a variant beside another type is no variant any more.

    >>> from sqlglot import parse_one
    >>> comparison = parse_one("a = b")
    >>> for side in (comparison.left, comparison.right):
    ...     set_kind(side, Primitive("variant"))
    >>> compare_by_keys(comparison)
    >>> comparison.sql()
    'ICEMELT_VARIANT_KEY(a) = ICEMELT_VARIANT_KEY(b)'
    """
    match node:
        case exp.Ordered() if _is_of_percentile(node):
            if is_variant(node.this):
                number = exp.Cast(this=node.this.copy(), to=exp.DataType.build("DOUBLE"))
                replace_node(number, node.this)
        case exp.Ordered():
            _use_keys([node.this])
        case exp.In() if isinstance(node.args.get("query"), exp.Expr):
            _compare_with_query(node, node.args["query"])
        case _ if isinstance(node, (exp.Anonymous, *_AROUND_CALLS)):
            _compare_arguments(node)
        case _:
            for operands in _compared_together(node):
                if _are_variants(operands):
                    _use_keys(operands)


def _compared_together(node: exp.Expr) -> list[tuple[exp.Expr, ...]]:
    """Return the operands that a node compares with each other; of tuples, place by place."""
    match node:
        case exp.Between():
            return [(node.this, node.args["low"], node.args["high"])]
        case exp.In():
            operands = (node.this, *node.expressions)
        case exp.Case() if node.this is not None:
            operands = (node.this, *(branch.this for branch in node.args["ifs"]))
        case _ if isinstance(node, _COMPARISONS):
            operands = (node.left, node.right)
        case _:
            return []
    return columns_of_tuples(operands) or [operands]


def group_by_keys(select: exp.Select, scope: Scope) -> None:
    """Group the rows of a SELECT by the keys of variants, in place."""
    group = select.args.get("group")
    if group is None:
        return
    if group.args.get("all"):
        _write_out_all(select, group)
    aliases = Aliases.of(select)
    for element in list(_elements(group.expressions)):
        target = _grouped_expression(element, select, aliases, scope)
        if is_variant(target):
            _group_by_key(select, element, target, scope)


def sort_by_keys(select: exp.Select) -> None:
    """Sort the rows of a SELECT by the keys of variants that ORDER BY names or counts, in place."""
    order = select.args.get("order")
    aliases = Aliases.of(select).expressions if order is not None else {}
    for item in order.expressions if order is not None else ():
        value = item.this
        projection = _counted(value, select.expressions) or _selected(value, select.expressions)
        inner = value.expressions[0] if _is_key(value) else value
        named = aliases.get(fold(plain_name(inner)))
        if projection is not None and is_variant(projection):
            item.set("this", _key(_named(projection)))
        elif named is not None and is_variant(named) and inner is value:
            item.set("this", _key(value))
        elif named is not None and not is_variant(named) and inner is not value:
            # the column of that name is a variant, and the alias, which is meant, is none
            item.set("this", inner.copy())


def select_distinct_by_keys(
    select: exp.Select,
    columns: dict[str, DataType | None] | None,
    hidden_name: Callable[[str], str],
) -> exp.Select:
    """Select distinct variants by their keys, in place, and return the SELECT of all rows.

    SELECT DISTINCT v AS a, b FROM t
    SELECT TYPED(d0, MIN(m0)) AS a, d1 AS b
    FROM (SELECT KEY(v) AS d0, DOUBLES(v) AS m0, b AS d1 FROM t) GROUP BY d0, d1
    """
    if columns is None or _VARIANT not in columns.values():
        return select
    if len(columns) != len(select.expressions) or any(each.is_star for each in select.expressions):
        return select
    names = [hidden_name(f"d{at}") for at in range(len(columns))]
    order = select.args.get("order")
    for item in order.expressions if order is not None else ():
        at = output_sorted_by(item.this, select)
        if at is not None:
            item.set("this", quoted_column(names[at]))
    inner = exp.Select(
        **{part: value for part, value in select.args.items() if part not in _OUTER_PARTS}
    )
    inner.set("distinct", None)
    if select.args.get("group") is not None:
        # which may name the columns of the list
        inner = _with_keys(inner, names, columns, hidden_name("b"))
        _read_keys(select, inner, names, columns, hidden_name("r"))
        return inner
    outputs: list[exp.Expr] = []
    for name, kind, each in zip(names, columns.values(), list(inner.expressions), strict=True):
        value = each.unalias()
        if kind == _VARIANT:
            outputs.append(_alias(_call(_DOUBLES, value.copy(), _LONG), _of_doubles(name)))
        outputs.append(_alias(_key_of(value) if kind == _VARIANT else value, name))
    inner.set("expressions", outputs)
    _read_keys(select, inner, names, columns, hidden_name("r"))
    return inner


def output_sorted_by(value: exp.Expr, select: exp.Select) -> int | None:
    """Return the position of the SELECT list's column that an item of ORDER BY means."""
    plain = value.expressions[0] if _is_key(value) else value
    at = _position_of(plain, [each.alias_or_name for each in select.expressions])
    if at is not None:
        return at
    values = [each.unalias() for each in select.expressions]
    return next((at for at, each in enumerate(values) if each in (plain, value)), None)


def unite_by_keys(
    operation: exp.SetOperation,
    columns: dict[str, DataType | None] | None,
    hidden_name: Callable[[str], str],
) -> None:
    """Compare the variants of a set operation's rows by their keys: put a SELECT in its place.

    The operation's own branches are changed; UNION ALL of all of them stays, as it compares none,
    but for its ORDER BY.
    """
    operations = [operation]
    while isinstance(operations[-1].this, exp.SetOperation):
        operations.append(operations[-1].this)
    is_compared = any(
        each.args.get("distinct") or not isinstance(each, exp.Union) for each in operations
    )
    if columns is None or _VARIANT not in columns.values():
        return
    if not is_compared:
        _sort_united(operation, columns)
        return
    names = [hidden_name(f"d{at}") for at in range(len(columns))]
    outer = exp.Select()
    replace_node(outer, operation)
    order = operation.args.get("order")
    for item in order.expressions if order is not None else ():
        at = _position_of(item.this, list(columns))
        if at is not None:
            item.set("this", quoted_column(names[at]))
    for part in _OUTER_PARTS:
        outer.set(part, operation.args.get(part))
        operation.set(part, None)
    # rows of UNION alone, of which the last one is distinct, are groups of rows of UNION ALL
    groups = all(isinstance(each, exp.Union) for each in operations) and operation.args["distinct"]
    for each in operations if groups else ():
        each.set("distinct", value=False)
    branches = [(operations[-1], "this"), *((each, "expression") for each in operations)]
    for holder, part in branches:
        branch = _with_keys(holder.args[part], names, columns, hidden_name("b"), types=groups)
        holder.set(part, branch)
    _read_keys(outer, operation, names, columns, hidden_name("r"), groups=groups)


def _sort_united(operation: exp.SetOperation, columns: dict[str, DataType | None]) -> None:
    order = operation.args.get("order")
    for item in order.expressions if order is not None else ():
        at = _position_of(item.this, list(columns))
        name, kind = list(columns.items())[at] if at is not None else ("", None)
        if kind == _VARIANT:
            item.set("this", _key(quoted_column(name)))


def _with_keys(
    branch: exp.Expr,
    names: list[str],
    columns: dict[str, DataType | None],
    alias: str,
    *,
    types: bool = True,
) -> exp.Select:
    """Return a SELECT of a branch's columns, under new names, with keys in place of variants.

    With `types` the bits of the variants' doubles are columns, too.
    """
    inner = branch.this if isinstance(branch, exp.Subquery) and not branch.alias else branch
    table = exp.TableAlias(
        this=exp.to_identifier(alias, quoted=True),
        columns=[exp.to_identifier(name, quoted=True) for name in names],
    )
    selected = [
        _alias(_call(_KEY, quoted_column(name), _BINARY), name)
        if kind == _VARIANT
        else quoted_column(name)
        for name, kind in zip(names, columns.values(), strict=True)
    ]
    selected += [
        _alias(_call(_DOUBLES, quoted_column(name), _LONG), _of_doubles(name))
        for name, kind in zip(names, columns.values(), strict=True)
        if types and kind == _VARIANT
    ]
    return exp.Select(
        expressions=selected, from_=exp.From(this=exp.Subquery(this=inner, alias=table))
    )


def _of_doubles(name: str) -> str:
    """Return the name of the column with the bits of the doubles of a key's column."""
    return f"{name}d"


def _read_keys(
    select: exp.Select,
    inner: exp.Query,
    names: list[str],
    columns: dict[str, DataType | None],
    alias: str,
    *,
    groups: bool = True,
) -> None:
    """Make a SELECT that returns the columns of an inner query, its keys as variants.

    With `groups` rows that are equal are one, whose doubles are those of one of them.
    """
    for part in [part for part in select.args if part not in _OUTER_PARTS]:
        select.set(part, None)
    table = exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
    select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=table)))
    outputs: list[exp.Expr] = []
    for name, (title, kind) in zip(names, columns.items(), strict=True):
        value: exp.Expr = quoted_column(name)
        if kind == _VARIANT and groups:
            value = _typed(value, quoted_column(_of_doubles(name)))
        elif kind == _VARIANT:
            value = _call(_OF_KEY, value, _VARIANT)
        outputs.append(_alias(value, title))
    select.set("expressions", outputs)
    if groups:
        select.set("group", exp.Group(expressions=[quoted_column(name) for name in names]))


def _is_of_percentile(node: exp.Ordered) -> bool:
    """Tell whether an item orders numbers among which a percentile is."""
    around = node.find_ancestor(exp.WithinGroup, exp.Window, exp.Query)
    if not isinstance(around, exp.WithinGroup) or not isinstance(around.this, exp.Anonymous):
        return False
    return around.this.name.upper() in {"PERCENTILE_CONT", "PERCENTILE_DISC"}


def _compare_arguments(node: exp.Expr) -> None:
    """Let a call compare its variants by keys, where `node` is the call or all that is around."""
    if isinstance(node.parent, _AROUND_CALLS) and node.arg_key == "this":
        return
    call = node
    while isinstance(call, _AROUND_CALLS):
        if isinstance(call, exp.Window):
            _use_keys(call.args.get("partition_by") or ())
        call = call.this
    if not isinstance(call, exp.Anonymous):
        return
    name, arguments = call.name.upper(), call.expressions
    if arguments and isinstance(arguments[0], exp.Distinct):
        _compare_distinct(node, call, arguments[0].expressions)
    elif name == "NULLIF":
        _write_nullif(call)
    elif name == "DECODE":
        searched = [*arguments[:1], *arguments[1:-1:2]]
        _use_keys(searched if _are_variants(searched) else ())
    elif name in _COMPARING:
        _use_keys(arguments[_COMPARING[name] :], strips=name in _LEAVING_NULLS_OUT)
    elif name in _CHOOSING_AGGREGATES | _CHOOSING and _are_variants(arguments):
        _choose_by_keys(node, call)


def _compare_distinct(node: exp.Expr, call: exp.Anonymous, arguments: list[exp.Expr]) -> None:
    """Let an aggregate of distinct values compare its variants by keys."""
    name = call.name.upper()
    if name in _CHOOSING_AGGREGATES and _are_variants(arguments):
        # the least of distinct values is the least of all
        call.set("expressions", arguments)
        _choose_by_keys(node, call)
    elif name == "COUNT":
        _use_keys(arguments)


def _choose_by_keys(node: exp.Expr, call: exp.Anonymous) -> None:
    """Let a call choose among keys, and make a variant of the one that `node` gives."""
    name = call.name.upper()
    # MODE counts values that are equal
    key = _KEY if name == "MODE" else _TYPED_KEY
    _use_keys(call.expressions, strips=name in _LEAVING_NULLS_OUT, key=key)
    made = exp.Anonymous(this=_OF_KEY)
    made.meta[OWN_CALL] = True
    set_kind(made, _VARIANT)
    set_kind(call, _BINARY)
    _move_title(node, made)
    replace_node(made, node)
    made.set("expressions", [node])


def _write_nullif(call: exp.Anonymous) -> None:
    """Write NULLIF as CASE: it returns the variant, and compares it as `=` does."""
    if len(call.expressions) != 2 or not is_variant(call.expressions[0]):  # noqa: PLR2004
        return
    value, other = call.expressions
    condition = exp.EQ(this=value.copy(), expression=other.copy())
    coerce(condition)
    compare_by_keys(condition)
    written = exp.Case(ifs=[exp.If(this=condition, true=exp.Null())], default=value.copy())
    set_kind(written, _VARIANT)
    _move_title(call, written)
    replace_node(written, call)


def _compare_with_query(node: exp.In, query: exp.Expr) -> None:
    """Compare a variant with the variants that a query gives."""
    if not (is_variant(node.this) and is_variant(query)):
        return
    _use_keys([node.this])
    compare_query(node, _call(_KEY, quoted_column(QUERY_VALUE), _BINARY))


def _are_variants(nodes: Sequence[exp.Expr]) -> bool:
    """Tell whether nodes are variants, but for NULLs among them."""
    return any(map(is_variant, nodes)) and all(
        is_variant(node) or isinstance(node.unnest(), exp.Null) for node in nodes
    )


def _use_keys(nodes: Sequence[exp.Expr], *, strips: bool = False, key: str = _KEY) -> None:
    """Put keys in the place of variants, NULL in that of JSON nulls if `strips` is set."""
    for node in list(nodes):
        if is_variant(node):
            value = _call("STRIP_NULL_VALUE", node.copy(), _VARIANT) if strips else node
            replace_node(_call(key, value.copy(), _BINARY), node)


def _write_out_all(select: exp.Select, group: exp.Group) -> None:
    """Write GROUP BY ALL out, where a column of the SELECT list is a variant."""
    values = [each.unalias() for each in select.expressions]
    if any(map(is_variant, values)) and not any(each.is_star for each in select.expressions):
        group.set("all", None)
        group.set("expressions", [value.copy() for value in values if not _is_aggregated(value)])


def _is_aggregated(value: exp.Expr) -> bool:
    """Tell whether GROUP BY ALL groups by no value of this kind: an aggregate is in it."""
    calls = value.find_all(exp.Anonymous)
    return any(
        call.name.upper() in AGGREGATES and not isinstance(call.parent, exp.Window)
        for call in calls
    )


def _elements(expressions: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the expressions of GROUP BY, those of its grouping sets among them."""
    for each in expressions:
        if isinstance(each, exp.Paren):
            yield from _elements([each.this])
        elif isinstance(each, _SETS):
            yield from _elements(each.expressions)
        else:
            yield each


def _grouped_expression(
    element: exp.Expr, select: exp.Select, aliases: Aliases, scope: Scope
) -> exp.Expr:
    """Return the expression that an element of GROUP BY means: by its position or its alias."""
    counted = _counted(element, select.expressions)
    if counted is not None:
        return counted.unalias()
    name = plain_name(element)
    if name and fold(name) in aliases.expressions and scope.lacks(name):
        return aliases.expressions[fold(name)]
    return element


def _group_by_key(select: exp.Select, element: exp.Expr, target: exp.Expr, scope: Scope) -> None:
    """Group by a variant's key, and make the variant of it where the SELECT computes with it."""
    key = _key(target)
    target = target.copy()
    # sets of groups without the key have NULL in its place
    has_sets = element.find_ancestor(exp.Group, *_SETS, exp.Query) is not select.args["group"]
    replace_node(key.copy(), element)
    order = select.args.get("order")
    parts = [
        *select.expressions,
        *(part for part in (select.args.get("having"), select.args.get("qualify")) if part),
        *(order.expressions if order is not None else ()),
    ]
    for part in parts:
        for found in _occurrences(part, target, key, scope):
            made: exp.Expr = _call(_OF_KEY, key.copy(), _VARIANT)
            made = made if has_sets else _typed(key.copy(), _call(_DOUBLES, target.copy(), _LONG))
            _move_title(found, made)
            if isinstance(found, exp.Column) and found.parent is select:
                made = exp.Alias(
                    this=made, alias=exp.to_identifier(fold_identifier(found.this), quoted=True)
                )
            is_counted = isinstance(found.parent, exp.Anonymous) and (
                found.parent.name.upper() in _GROUPINGS
            )
            replace_node(key.copy() if is_counted else made, found)


def _occurrences(part: exp.Expr, target: exp.Expr, key: exp.Expr, scope: Scope) -> list[exp.Expr]:
    """Return the places of an expression outside of aggregates, of queries and of its key.

    An aggregate over a window is computed of the groups.
    """
    wanted, found = _without_tables(target, scope), list[exp.Expr]()

    def is_leaf(node: exp.Expr) -> bool:
        if type(node) is type(wanted) and _without_tables(node, scope) == wanted:
            found.append(node)
            return True
        if isinstance(node, exp.Query) or node == key:
            return True
        is_call = isinstance(node, exp.Anonymous) and node.name.upper() in AGGREGATES
        return is_call and node.name.upper() not in _GROUPINGS and not _is_over_window(node)

    for _ in part.walk(bfs=False, prune=is_leaf):
        pass
    return found


def _without_tables(node: exp.Expr, scope: Scope) -> exp.Expr:
    """Return a copy of an expression whose columns name no table where one alone has the column."""
    copy: exp.Expr = node.copy()
    for column in list(copy.find_all(exp.Column)):
        owners = [each for each in scope.sources if each.may_have(fold_identifier(column.this))]
        if len(owners) == 1 and column.table and scope.find(column.table) is owners[0]:
            plain = exp.Column(this=column.this.copy())
            copy = plain if column is copy else copy
            replace_node(plain, column)
    return copy


def _is_over_window(call: exp.Expr) -> bool:
    while isinstance(call.parent, _AROUND_CALLS) and call.arg_key == "this":
        call = call.parent
    return isinstance(call, exp.Window)


def _position_of(value: exp.Expr, titles: list[str]) -> int | None:
    if isinstance(value, exp.Literal) and not value.is_string and value.name.isdecimal():
        position = int(value.name) - 1
        return position if 0 <= position < len(titles) else None
    name = fold(plain_name(value))
    found = [at for at, title in enumerate(titles) if name and fold(title) == name]
    return found[0] if len(found) == 1 else None


def _counted(value: exp.Expr, projections: Sequence[exp.Expr]) -> exp.Expr | None:
    """Return the column of a SELECT list that a written number counts."""
    if not isinstance(value, exp.Literal) or value.is_string or not value.name.isdecimal():
        return None
    position = int(value.name) - 1
    return projections[position] if 0 <= position < len(projections) else None


def _selected(key: exp.Expr, projections: Sequence[exp.Expr]) -> exp.Expr | None:
    """Return the column of a SELECT list that is made of a key: grouping sets have no other."""
    if not _is_key(key):
        return None
    made = _call(_OF_KEY, key.copy(), _VARIANT)
    named = (each for each in projections if isinstance(each, exp.Alias) and each.this == made)
    return next(named, None)


def _named(projection: exp.Expr) -> exp.Expr:
    """Return a column of a SELECT list by its alias, or as it is where it has none."""
    if isinstance(projection, exp.Alias):
        return quoted_column(fold_identifier(projection.args["alias"]))
    return projection


def _is_key(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == _KEY


def _key_of(node: exp.Expr) -> exp.Expr:
    """Return the key of a variant; of one that is made of a key, that key."""
    if isinstance(node, exp.Anonymous) and node.name.upper() == _OF_KEY:
        key: exp.Expr = node.expressions[0]
        return key
    return _key(node)


def _key(node: exp.Expr) -> exp.Expr:
    return _call(_KEY, node.copy(), _BINARY)


def _typed(key: exp.Expr, doubles: exp.Expr) -> exp.Expr:
    """Return the variant of a key among groups, with the least bits of doubles of its group."""
    least = exp.Anonymous(this="MIN", expressions=[doubles])
    set_kind(least, _LONG)
    made = _call(_TYPED, key, _VARIANT)
    made.append("expressions", least)
    return made


def _call(name: str, argument: exp.Expr, kind: DataType) -> exp.Anonymous:
    call = exp.Anonymous(this=name, expressions=[argument])
    call.meta[OWN_CALL] = True
    set_kind(call, kind)
    return call


def _alias(value: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=value, alias=exp.to_identifier(name, quoted=True))


def _move_title(old: exp.Expr, new: exp.Expr) -> None:
    """Let a new expression have the title of a column that an old one has."""
    if "written" in old.meta:
        new.meta["written"] = old.meta.pop("written")
