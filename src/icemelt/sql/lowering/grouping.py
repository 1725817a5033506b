"""Lower GROUP BY: keys, grouping sets, and the aggregates of the expressions above."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.algebra.expressions import Expression, columns, text
from icemelt.algebra.nodes import Aggregate, Linear, Project, Relation, UnionAll
from icemelt.errors import QueryError
from icemelt.names import fold
from icemelt.sql.analysis.trees import copy_expression
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.lowering.aggregates import find_sum, has_aggregate, is_aggregate, mark_windows
from icemelt.sql.lowering.context import Context, GrowingRows, NamedRelation, marker, number_of
from icemelt.sql.lowering.correlation import renumber_outer_columns
from icemelt.sql.lowering.equal_subqueries import share_equal_subqueries
from icemelt.sql.lowering.expressions import LoweredSubquery, replace_parts, settle
from icemelt.sql.lowering.names import SelectNames, is_outer
from icemelt.sql.lowering.subqueries import attach_subqueries
from icemelt.sql.lowering.ties import make_aggregate_deterministic

__all__ = ["OutputColumn", "group", "is_grouped"]


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the SELECT list, with a name and a settled tree."""

    name: str
    tree: exp.Expr


@dataclass(frozen=True, slots=True)
class _GroupingKeys:
    """The distinct keys of a GROUP BY.

    Attributes:
        trees: the settled keys.
        sets: the grouping sets, as positions in `trees`.
        several: whether the clause is ROLLUP, CUBE or GROUPING SETS.
    """

    trees: list[exp.Expr]
    sets: list[tuple[int, ...]]
    several: bool


def is_grouped(select: exp.Select, outputs: Sequence[OutputColumn]) -> bool:
    """Tell whether a SELECT returns a row for each group."""
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    return any(has_aggregate(output.tree) for output in outputs)


def group(
    rows: GrowingRows,
    select: exp.Select,
    outputs: Sequence[OutputColumn],
    names: SelectNames,
    context: Context,
    trees: Sequence[exp.Expr],
) -> tuple[list[exp.Expr], exp.Expr | None]:
    """Group the rows; return the trees, and the condition of HAVING, over the groups.

    Args:
        rows: the rows of the SELECT, which become groups.
        select: the SELECT.
        outputs: the columns of the SELECT list.
        names: the names that the SELECT sees.
        context: the context of the statement.
        trees: the trees of the outputs, then the hidden columns by which the groups are ordered.
    """
    keys = _read_keys(select, outputs, names, context)
    keys = replace(keys, trees=share_equal_subqueries(keys.trees, keys.trees, context))
    having = select.args.get("having")
    trees = list(trees)
    if having is not None:
        trees.append(
            settle(_substitute_outputs(having.this, outputs, names, keys, context), names, context)
        )
    above = _GroupRewriter(rows, keys, context)
    rewritten = [
        above.rewrite_tree(tree) for tree in share_equal_subqueries(trees, keys.trees, context)
    ]
    above.build_groups()
    return (rewritten, None) if having is None else (rewritten[:-1], rewritten[-1])


class _GroupRewriter:
    """Rewrites expressions over the grouped rows into expressions over the groups."""

    def __init__(self, rows: GrowingRows, keys: _GroupingKeys, context: Context) -> None:
        self._rows, self._keys, self._context = rows, keys, context
        # the keys as columns of the rows, once their subqueries are columns, too
        self._attached_keys = [attach_subqueries(rows, key, context) for key in keys.trees]
        self._aggregates: list[exp.Expr] = []
        self._start = len(keys.trees) + keys.several

    def rewrite_tree(self, tree: exp.Expr) -> exp.Expr:
        """Return a settled tree over the groups."""
        mark_windows(tree)

        def replacement(node: exp.Expr) -> exp.Expr | None:
            if node in self._keys.trees:
                return marker(self._keys.trees.index(node), node)
            if self._keys.several and _is_call(node, "GROUPING", "GROUPING_ID"):
                return self._grouping_bits(node)
            if isinstance(node, LoweredSubquery):
                return self._rewrite_subquery(node)
            if is_aggregate(node):
                return self._add_aggregate(node)
            number = number_of(node)
            if number is not None and not is_outer(number):
                raise _ungrouped_error()
            return None

        return replace_parts(tree, replacement)

    def build_groups(self) -> None:
        """Turn the rows into groups with the aggregates of all rewritten trees."""
        context, rows = self._context, self._rows
        keys = [context.to_expression(key) for key in self._attached_keys]
        over = rows.relation
        if self._keys.several:
            self._repeat_rows(keys)
            width = self._rows.relation.width
            keys = list(columns(width - len(keys) - 1, width))
        if not keys and not self._aggregates:
            # all rows are one group, also for a SELECT without keys and aggregates
            self._aggregates.append(
                exp.Anonymous(this="COUNT", expressions=[exp.Literal.number(1)])
            )
        aggregates = tuple(map(context.to_expression, self._aggregates))
        linear = tuple(_find_linear(aggregate, over, context) for aggregate in self._aggregates)
        rows.relation = Aggregate(rows.relation, tuple(keys), aggregates, linear)

    def _repeat_rows(self, keys: list[Expression]) -> None:
        """Repeat all rows for every grouping set; keys outside of the set are NULL, as in SQL.

        rows with a = 1, b = 2, and ROLLUP (a, b)        a     b     number of the set
                                                         1     2     0
                                                         1     NULL  1
                                                         NULL  NULL  2
        """
        own = columns(0, self._rows.relation.width)
        branches = []
        for number, chosen in enumerate(self._keys.sets):
            values = [key if at in chosen else text("NULL") for at, key in enumerate(keys)]
            branches.append(Project(self._rows.relation, (*own, *values, text(str(number)))))
        self._rows.relation = UnionAll(tuple(branches))

    def _add_aggregate(self, node: exp.Expr) -> exp.Expr:
        plain = make_aggregate_deterministic(attach_subqueries(self._rows, node, self._context))
        if plain not in self._aggregates:
            self._aggregates.append(plain)
        return marker(self._start + self._aggregates.index(plain), node)

    def _rewrite_subquery(self, node: exp.Expr) -> exp.Expr:
        """Return a subquery above the groups, which sees the keys alone."""
        query = node.args["query"]
        relation = renumber_outer_columns(query.relation, self._key_of_column)
        operands = [self.rewrite_tree(operand) for operand in node.args["operands"] or ()]
        return LoweredSubquery(
            kind=node.args["kind"], operands=operands, query=NamedRelation(relation, query.names)
        )

    def _key_of_column(self, number: int) -> int:
        plain = marker(number)
        if plain not in self._keys.trees:
            raise _ungrouped_error()
        return self._keys.trees.index(plain)

    def _grouping_bits(self, node: exp.Expr) -> exp.Expr:
        """Return GROUPING's number: a bit for every key, first key highest, 1 for absent keys."""
        positions = [self._keys.trees.index(key) for key in node.expressions]
        positions = positions or list(range(len(self._keys.trees)))
        bits = [
            sum((at not in chosen) << shift for shift, at in enumerate(reversed(positions)))
            for chosen in self._keys.sets
        ]
        set_number = marker(len(self._keys.trees))
        branches = [
            exp.If(
                this=exp.EQ(this=set_number.copy(), expression=exp.Literal.number(number)),
                true=exp.Literal.number(value),
            )
            for number, value in enumerate(bits)
        ]
        is_bit = _is_call(node, "GROUPING") and len(node.expressions) == 1
        function = "TINYINT" if is_bit else "BIGINT"
        return exp.Anonymous(this=function, expressions=[exp.Case(ifs=branches)])


def _find_linear(aggregate: exp.Expr, over: Relation, context: Context) -> Linear | None:
    """Return the term of an exact sum, or None for an aggregate that is no exact sum."""
    of = find_sum(aggregate)
    if of is None:
        return None
    argument = context.to_expression(of.argument)
    if of.counts:
        return Linear(argument)
    kind = context.types.of(argument, over)
    return None if kind is None else Linear(argument, str(kind.total))


def _read_keys(
    select: exp.Select, outputs: Sequence[OutputColumn], names: SelectNames, context: Context
) -> _GroupingKeys:
    """Return the keys of a SELECT's GROUP BY; GROUP BY ALL takes all outputs without aggregates."""
    clause = select.args.get("group")
    if clause is None:
        return _GroupingKeys([], [()], several=False)
    if clause.args.get("all"):
        keys = [output.tree for output in outputs if not has_aggregate(output.tree)]
        return _number_keys([[key] for key in keys], several=False)
    has_sets = False
    choices: list[list[list[exp.Expr]]] = []
    for element in clause.expressions:
        sets = _grouping_sets(element)
        has_sets = has_sets or sets is not None
        choices.append([[element]] if sets is None else sets)
    meant: dict[int, exp.Expr] = {}
    for element in itertools.chain.from_iterable(itertools.chain.from_iterable(choices)):
        meant[id(element)] = _resolve_key(element, outputs, names, context)
    every = [
        [meant[id(key)] for part in combination for key in part]
        for combination in itertools.product(*choices)
    ]
    return _number_keys(every if has_sets else [[key] for key in every[0]], several=has_sets)


def _substitute_outputs(
    having: exp.Expr,
    outputs: Sequence[OutputColumn],
    names: SelectNames,
    keys: _GroupingKeys,
    context: Context,
) -> exp.Expr:
    """Replace aliases of the SELECT list in HAVING by their expressions.

    A name in HAVING means a key first, then a column of the SELECT list. Inside an aggregate a name
    means a column of the grouped rows.
    """
    trees = {fold(output.name): output.tree for output in outputs if output.name}

    def replacement(node: exp.Expr) -> exp.Expr | None:
        if is_aggregate(node) or isinstance(node, exp.Query):
            return node
        is_plain = isinstance(node, exp.Column) and not node.args.get("table")
        meant = trees.get(fold(fold_identifier(node.this))) if is_plain else None
        if meant is None or settle(node, names, context) in keys.trees:
            return None
        return exp.Paren(this=copy_expression(meant))

    return replace_parts(having, replacement)


def _number_keys(sets: list[list[exp.Expr]], *, several: bool) -> _GroupingKeys:
    trees: list[exp.Expr] = []
    for key in itertools.chain.from_iterable(sets):
        if key not in trees:
            trees.append(key)
    chosen = [tuple(trees.index(key) for key in part) for part in sets]
    return _GroupingKeys(trees, chosen, several)


def _grouping_sets(element: exp.Expr) -> list[list[exp.Expr]] | None:
    """Return the key sets of ROLLUP, CUBE or GROUPING SETS, or None for a plain key."""
    match element:
        case exp.Rollup():
            parts = [_key_parts(part) for part in element.expressions]
            ends = range(len(parts), -1, -1)
            return [list(itertools.chain.from_iterable(parts[:end])) for end in ends]
        case exp.Cube():
            parts = [_key_parts(part) for part in element.expressions]
            every = itertools.product((True, False), repeat=len(parts))
            return [
                [key for part, taken in zip(parts, chosen, strict=True) if taken for key in part]
                for chosen in every
            ]
        case exp.GroupingSets():
            sets = []
            for each in element.expressions:
                sets += _grouping_sets(each) or [_key_parts(each)]
            return sets
        case _:
            return None


def _key_parts(element: exp.Expr) -> list[exp.Expr]:
    if isinstance(element, exp.Tuple):
        return list(element.expressions)
    return [element.unnest()]


def _resolve_key(
    element: exp.Expr, outputs: Sequence[OutputColumn], names: SelectNames, context: Context
) -> exp.Expr:
    """Return the settled tree of a key.

    A key is a position in the SELECT list, an expression, or a name. A name means a table's column
    first, then an alias of the SELECT list.
    """
    if isinstance(element, exp.Literal) and not element.is_string:
        return outputs[int(element.name) - 1].tree
    is_plain = isinstance(element, exp.Column) and not element.args.get("table")
    if is_plain and not any(
        fold(shown_name) == fold(fold_identifier(element.this)) for shown_name, _ in names.shown
    ):
        for output in outputs:
            if fold(output.name) == fold(fold_identifier(element.this)):
                return output.tree
    return settle(element, names, context)


def _ungrouped_error() -> QueryError:
    return QueryError(
        "A column of the SELECT list is neither grouped by nor aggregated.",
        hint="Add it to GROUP BY, or take ANY_VALUE of it.",
    )


def _is_call(node: exp.Expr, *names: str) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() in names
