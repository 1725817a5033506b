"""The generator: trees of the icemelt dialect as Spark SQL text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ErrorLevel
from sqlglot.generators.spark import SparkGenerator

from icemelt.errors import NotYet, SqlSyntaxError
from icemelt.quoting import quote, text_literal
from icemelt.spark_sql.barriers import add_barrier
from icemelt.sql.analysis.carried_variants import CarriedBytes, CarriedVariant, VariantCarrier
from icemelt.sql.analysis.inlining import has_barrier
from icemelt.sql.analysis.kinds import is_kind, is_numeric, path_keys
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.stars import NamedColumns
from icemelt.sql.analysis.table_functions import Flatten, GenerateRows, SplitRows
from icemelt.sql.analysis.trees import replace_node, rows_of
from icemelt.sql.analysis.units import UNITS
from icemelt.sql.analysis.volatile import NextValueSlot, is_volatile
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import count_step
from icemelt.sql.spark.arithmetic import divide
from icemelt.sql.spark.calls import Call
from icemelt.sql.spark.casts import cast
from icemelt.sql.spark.chance import compute_arguments_once, with_operands_once
from icemelt.sql.spark.flattening import flatten, generate_rows, split_rows
from icemelt.sql.spark.functions import FUNCTIONS, render_call
from icemelt.sql.spark.patterns import full_match, like
from icemelt.sql.spark.plain_words import SparkText, require_quoted_or_plain
from icemelt.sql.spark.semistructured import object_of
from icemelt.sql.spark.variants import access, as_variant

__all__ = ["Generator"]

# functions that see the whole partition by default, also with an order, and the rows so far
_WHOLE_FRAME = ("FIRST_VALUE", "LAST_VALUE", "NTH_VALUE", "RATIO_TO_REPORT")
_ROWS_SO_FAR = ("CONDITIONAL_TRUE_EVENT",)
_ORDERED = (
    *("ARRAY_AGG", "COLLECT_LIST", "LISTAGG", "STRING_AGG"),
    *("PERCENTILE_CONT", "PERCENTILE_DISC"),
)
_UNPIVOTED, _PIVOTED = "__icemelt_unpivoted", "__icemelt_pivoted_"
_SIGNS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
# The text for Spark may be several times as long as the written text. Nested calls that repeat
# their arguments would make the text a million times as long.
_LONGEST, _FACTOR, _NODE = 1_000_000, 16, 8
_NOT_IN_PLACE = re.compile(r"\b(raise_error|nullif|to_binary)\(|->")
# nodes whose SQL is not kept: rendering costs little, and the SQL of the parts is kept
_CHEAP = (
    *(exp.Boolean, exp.Column, exp.From, exp.Identifier, exp.Literal, exp.Neg, exp.Null),
    *(exp.Paren, exp.Tuple, exp.Values, exp.Var),
)
_MOST_LONG = 2**63 - 1
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Paren, exp.Neg)


class Generator(SparkGenerator):
    """Writes Spark SQL: identifiers in backticks, functions by the table, icemelt's types."""

    def __init__(self, slots: StatementSlots) -> None:
        """Create a generator that takes the slots of context values from `slots`."""
        super().__init__(
            dialect=Spark(), identify=True, comments=False, unsupported_level=ErrorLevel.RAISE
        )
        self._slots = slots
        self._longest, self._left = _LONGEST, _LONGEST
        self._made: dict[int, tuple[exp.Expr, str]] = {}
        self.passed_on: set[str] = set()

    TABLESAMPLE_SEED_KEYWORD = "REPEATABLE"

    TRANSFORMS: ClassVar[dict[Any, Callable[..., str]]] = {
        **{
            node: transform
            for node, transform in SparkGenerator.TRANSFORMS.items()
            if node not in {exp.Select, exp.From, exp.Pivot, exp.Table, exp.Create}
        },
        exp.Add: lambda self, node: self.sum(node, "+"),
        exp.Anonymous: lambda self, node: self.call(node),
        exp.Array: lambda self, node: self.array(node),
        exp.Bracket: lambda self, node: self.element(node),
        exp.Case: lambda self, node: self.case(node),
        exp.Cast: lambda self, node: cast(node, self.sql),
        **{
            node: lambda self, node: self.comparison(node)
            for node in (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
        },
        exp.Escape: lambda self, node: self.like_with_escape(node),
        exp.Div: lambda self, node: divide(node.left, node.right, self.sql),
        exp.Extract: lambda self, node: self.part(node),
        exp.Filter: lambda self, node: self.aggregate(node),
        exp.HexString: lambda _, node: f"X'{node.name}'",
        exp.Hint: lambda _self, _node: "",
        exp.Identifier: lambda self, node: self.name(node),
        exp.ILike: lambda self, node: like(node, "ILIKE", None, self.sql),
        exp.IgnoreNulls: lambda self, node: self.aggregate(node),
        exp.JSONExtract: lambda self, node: self.path(node),
        exp.In: lambda self, node: self.row_among(node) or self.in_sql(node),
        exp.Interval: lambda self, node: self.interval(node),
        exp.Like: lambda self, node: like(node, "LIKE", None, self.sql),
        exp.Literal: lambda _, node: text_literal(node.name) if node.is_string else node.name,
        exp.Mul: lambda self, node: self.whole_numbers(node) or self.binary(node, "*"),
        NamedColumns: lambda self, node: self.expressions(node, flat=True),
        exp.NullSafeEQ: lambda self, node: self.binary(node, "<=>"),
        exp.NullSafeNEQ: lambda self, node: f"(NOT ({self.binary(node, '<=>')}))",
        exp.RawString: lambda _, node: text_literal(node.name),
        exp.RegexpLike: lambda self, node: self.regexp_like(node),
        exp.RespectNulls: lambda self, node: self.aggregate(node),
        exp.StrPosition: lambda self, node: self.position(node),
        exp.Struct: lambda self, node: self.object(node),
        exp.Sub: lambda self, node: self.sum(node, "-"),
        exp.Subquery: lambda self, node: self.pivoted_source(node, self.subquery_sql),
        exp.Table: lambda self, node: self.pivoted_source(node, self.table_sql),
        exp.Values: lambda self, node: self.rows(node),
        exp.TryCast: lambda self, node: cast(node, self.sql),
        exp.Window: lambda self, node: self.aggregate(node),
        exp.WithinGroup: lambda self, node: self.aggregate(node),
        SparkText: lambda _, node: node.name,
        NextValueSlot: lambda _, node: node.name,
        Flatten: lambda self, node: flatten(node, self.sql),
        SplitRows: lambda self, node: split_rows(node, self.sql),
        GenerateRows: lambda self, node: generate_rows(node, self.sql),
        CarriedBytes: lambda self, node: (
            f"icemelt_variant_bytes({as_variant(node.this, self.sql)})"
        ),
        CarriedVariant: lambda self, node: f"icemelt_variant({self.sql(node, 'this')})",
        VariantCarrier: lambda self, node: self.lateral_sql(node),
    }

    def text(self, node: exp.Expr) -> str:
        """Return the SQL of a tree, or raise `NotYet` for an expression that Spark lacks."""
        require_quoted_or_plain(node)
        self.unsupported_messages = []
        before, self._longest = self._longest, _LONGEST + _FACTOR * sum(map(_weight, node.walk()))
        self._left = self._longest // _NODE
        try:
            sql = self.sql(node).strip()
        finally:
            self._longest = before
            self._made.clear()
        if self.unsupported_messages:
            message = self.unsupported_messages[0].rstrip(".")
            raise NotYet(f"{message}.", hint="Write the query without it.")
        return sql

    def sql(self, expression: Any, *arguments: Any, **options: Any) -> str:
        """Return the SQL of a node; raise if the text grows out of proportion to the written text.

        A call may ask for an argument's SQL several times. The SQL of a node is kept: otherwise
        nested calls would take twice as long with every level.
        """
        is_kept = isinstance(expression, exp.Expr) and not (arguments or options)
        is_kept = is_kept and not isinstance(expression, _CHEAP)
        if is_kept and id(expression) in self._made:
            return self._made[id(expression)][1]
        count_step()
        self._left -= is_kept
        sql: str = super().sql(expression, *arguments, **options)
        if len(sql) > self._longest or self._left < 0:
            raise NotYet(
                "The statement becomes too long for Spark: its calls repeat what is in them.",
                hint="Compute the inner ones in a subquery.",
            )
        if is_kept:
            # keeps the node alive: a new node at the same address would have the same id
            self._made[id(expression)] = expression, sql
        return sql

    def alias_sql(self, node: exp.Alias) -> str:
        """Return an output with a name, behind a barrier if the output has one."""
        value = self.sql(node, "this")
        return f"{add_barrier(value) if has_barrier(node) else value} AS {self.sql(node, 'alias')}"

    def name(self, node: exp.Identifier) -> str:
        """Return an identifier in backticks; a hidden alias is replaced by the hidden name."""
        return quote(self._slots.alias_of_entry(node.meta.get("source", 0), fold_identifier(node)))

    def call(self, node: exp.Expr, over: str = "", order: tuple[exp.Expr, ...] = ()) -> str:
        """Return a function call by the table of functions.

        Args:
            node: the call.
            over: Spark SQL of the clauses after the call: FILTER, IGNORE NULLS, OVER.
            order: the items of WITHIN GROUP.
        """
        arguments = list(node.expressions)
        distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
        if distinct:
            arguments = arguments[0].expressions
            if not arguments:
                raise SqlSyntaxError("DISTINCT needs a value.", hint="Write DISTINCT column.")
        if any(isinstance(argument, exp.IgnoreNulls) for argument in arguments):
            over = f" IGNORE NULLS{over}"
        plain = [
            argument.this if isinstance(argument, (exp.IgnoreNulls, exp.RespectNulls)) else argument
            for argument in arguments
        ]
        name = node.name.upper()
        if name not in FUNCTIONS:
            self.passed_on.add(name.lower())
        context = self._slots.context_slot
        call = Call(name, tuple(plain), self.sql, context, over, order, distinct)
        return compute_arguments_once(call, render_call)

    def case(self, node: exp.Case) -> str:
        """Return CASE; an operand compared with every branch is computed once."""
        subject = node.args.get("this")

        def branches(subjects: Sequence[exp.Expr]) -> str:
            compared: str = self.case_sql(exp.Case(**{**node.args, "this": subjects[0]}))
            return compared

        if isinstance(subject, exp.Expr):
            return with_operands_once([subject], self.sql, branches, always=True)
        written: str = self.case_sql(node)
        return written

    def aggregate(self, node: exp.Expr, over: str = "") -> str:
        """Return a call with the clauses behind: WITHIN GROUP, FILTER, IGNORE NULLS, OVER."""
        match node:
            case exp.Window():
                return self.aggregate(node.this, self._over(node))
            case exp.IgnoreNulls():
                return self.aggregate(node.this, f" IGNORE NULLS{over}")
            case exp.RespectNulls():
                return self.aggregate(node.this, over)
            case exp.Filter():
                return self.aggregate(node.this, f" FILTER ({self.sql(node.expression)[1:]}){over}")
            case exp.WithinGroup():
                if node.this.name.upper() not in _ORDERED:
                    hint = "Order the rows in a subquery."
                    raise NotYet(f"{node.this.name} takes no WITHIN GROUP.", hint=hint)
                return self.call(node.this, over, _items(node))
            case exp.Anonymous():
                return self.call(node, over)
            case _:
                return self.sql(node) + over

    def array(self, node: exp.Expr) -> str:
        """Return `[…]` as ARRAY_CONSTRUCT; raise for an ARRAY of a query."""
        if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Query):
            raise NotYet("ARRAY of a query is not supported.", hint="Use ARRAY_AGG in a subquery.")
        return self.call(exp.Anonymous(this="ARRAY_CONSTRUCT", expressions=node.expressions))

    def comparison(self, node: exp.Binary) -> str:
        """Return a comparison, of tuples value by value."""
        right = node.expression
        if isinstance(node.left, exp.Tuple) and isinstance(right, exp.Tuple):
            is_same = isinstance(node, exp.EQ)
            if is_same or isinstance(node, exp.NEQ):
                same = self.row_among(exp.In(this=node.left, expressions=[right]))
                return same if is_same else f"(NOT {same})"
        return self.binary(node, _COMPARISONS[type(node)])

    def element(self, node: exp.Expr) -> str:
        """Return `a[key]`: positions count from 0, and a missing element is NULL."""
        arguments = [node.this, *node.expressions]
        return self.call(exp.Anonymous(this="GET", expressions=arguments))

    def object(self, node: exp.Expr) -> str:
        """Return `{'key': value}` as a variant object."""
        if any(not isinstance(pair, exp.PropertyEQ) for pair in node.expressions):
            arguments = node.expressions
            return self.call(exp.Anonymous(this="OBJECT_CONSTRUCT", expressions=arguments))
        keys = [text_literal(pair.this.name) for pair in node.expressions]

        def pairs(values: Sequence[exp.Expr]) -> str:
            variants = (as_variant(value, self.sql) for value in values)
            return object_of(list(zip(keys, variants, strict=True)), keep_null=False)

        return with_operands_once([pair.expression for pair in node.expressions], self.sql, pairs)

    def part(self, node: exp.Expr) -> str:
        """Return `EXTRACT(unit FROM moment)`."""
        unit = exp.Literal.string(node.this.name)
        return self.call(exp.Anonymous(this="DATE_PART", expressions=[unit, node.expression]))

    def row_among(self, node: exp.Expr) -> str:
        """Return `(a, b) IN ((1, 2), …)` value by value: Spark requires rows of one type."""
        rows = node.expressions
        if not isinstance(node.this, exp.Tuple) or not rows:
            return ""
        row = node.this.expressions
        if any(not isinstance(e, exp.Tuple) or len(e.expressions) != len(row) for e in rows):
            hint = f"Give each row of the list {len(row)} values, as in IN ((1, 'a'), (2, 'b'))."
            raise SqlSyntaxError(f"A row of {len(row)} values is compared with others.", hint=hint)

        def tests(row: Sequence[exp.Expr]) -> str:
            written = []
            for other in rows:
                pairs = zip(row, other.expressions, strict=True)
                both = (exp.EQ(this=left.copy(), expression=right.copy()) for left, right in pairs)
                written.append(" AND ".join(map(self.sql, both)))
            return f"({' OR '.join(f'({test})' for test in written)})"

        return with_operands_once(row, self.sql, tests)

    def interval(self, node: exp.Expr) -> str:
        """Return an interval of one unit."""
        unit = UNITS.get(node.text("unit").upper())
        if unit is None:
            hint = "Add it to a date or a time: d + INTERVAL '1 year, 3 hours'."
            raise NotYet("An interval has one number and one unit here.", hint=hint)
        if unit == "QUARTER":
            return f"({self.interval(exp.Interval(this=node.this, unit=exp.var('MONTH')))} * 3)"
        return f"INTERVAL {self.sql(node, 'this')} {unit}"

    def rows(self, node: exp.Values) -> str:
        """Return VALUES; rows that Spark cannot compute in place become a union of SELECTs."""
        if not any(_is_computed(part) for row in node.expressions for part in row.walk()):
            plain: str = self.values_sql(node)
            if not _NOT_IN_PLACE.search(plain):
                return plain
        selects = " UNION ALL ".join(
            f"SELECT {', '.join(map(self.sql, row))}" for row in rows_of(node)
        )
        named = f"({selects}) AS {self.sql(node, 'alias')}"
        in_from = isinstance(node.parent, (exp.From, exp.Join, exp.Subquery, exp.Table))
        return named if in_from else f"SELECT * FROM {named}"

    def path(self, node: exp.JSONExtract) -> str:
        """Return `v:a.b[0]`."""
        keys = path_keys(node)
        if "*" in map(str, keys):
            raise NotYet("A path with * is not supported.", hint="Use LATERAL FLATTEN.")
        return access(node.this, keys, self.sql)

    def position(self, node: exp.Expr) -> str:
        """Return `POSITION(part IN whole)`."""
        arguments = [node.args["substr"], node.this]
        start = node.args.get("position")
        if start is not None:
            arguments.append(start)
        return self.call(exp.Anonymous(this="POSITION", expressions=arguments))

    def regexp_like(self, node: exp.Expr) -> str:
        """Return `RLIKE`, which matches the whole string in Snowflake."""
        return full_match(self.sql(node, "this"), self.sql(node, "expression"))

    def like_with_escape(self, node: exp.Binary) -> str:
        """Return LIKE with ESCAPE."""
        word = "ILIKE" if isinstance(node.this, exp.ILike) else "LIKE"
        return like(node.this, word, node.expression, self.sql)

    def sum(self, node: exp.Binary, operator: str) -> str:
        """Return a sum or difference, also of a date and days."""
        left, right = node.left, node.right
        if is_kind(right, "date") and is_numeric(left) and operator == "+":
            left, right = right, left
        if is_kind(left, "date") and is_kind(right, "date") and operator == "-":
            return f"datediff({self.sql(left)}, {self.sql(right)})"
        if is_kind(left, "date") and is_numeric(right):
            function = "date_add" if operator == "+" else "date_sub"
            days = self.sql(right)
            days = days if is_kind(right, "int", "long") else f"round({days})"
            return f"{function}({self.sql(left)}, CAST({days} AS INT))"
        times = ("timestamp", "timestamptz")
        if is_kind(left, *times) and (is_numeric(right) or is_kind(right, "date", *times)):
            hint = "DATEADD('day', n, t) moves a time, DATEDIFF('second', a, b) compares two."
            raise NotYet("A timestamp has no sum or difference with such a value.", hint=hint)
        return self.whole_numbers(node) or self.binary(node, operator)

    def whole_numbers(self, node: exp.Binary) -> str:
        """Return arithmetic of integer literals in 64 bits; empty for any other arithmetic."""
        literals = [part for part in node.walk() if isinstance(part, exp.Literal)]
        inner = (exp.Literal, *_ARITHMETIC)
        if not all(isinstance(part, inner) for part in node.walk()):
            return ""
        if not all(literal.name.isdecimal() for literal in literals):
            return ""
        if any(int(literal.name) > _MOST_LONG for literal in literals):
            return ""
        copy = node.copy()
        for literal in list(copy.find_all(exp.Literal)):
            replace_node(exp.Var(this=f"{literal.name}L"), literal)
        return self.binary(copy, _SIGNS[type(node)])

    def pivoted_source(self, node: exp.Expr, plain: Callable[..., str]) -> str:
        """Return an entry of FROM; with a pivot a subquery, as Spark gives a pivot no alias."""
        pivots = node.args.get("pivots") or []
        if not pivots:
            return plain(node)
        alias = pivots[-1].args.get("alias") or node.args.get("alias")
        for pivot in pivots:
            pivot.set("alias", None)
        columns = self._rename_unpivoted(pivots) if len(pivots) == 1 else "*"
        if len(pivots) == 1 and _needs_titles(pivots[0]):
            columns = self._title_pivoted(pivots[0])
        name = f" AS {self.sql(alias)}" if alias is not None else ""
        return f"(SELECT {columns} FROM {plain(node)}){name}"

    def _rename_unpivoted(self, pivots: list[exp.Expr]) -> str:
        """Rename the last column of an UNPIVOT in the SELECT list.

        Spark would parse the name given in UNPIVOT as SQL.
        """
        [pivot] = pivots
        if not pivot.args.get("unpivot") or len(pivot.expressions) != 1:
            return "*"
        value, hidden = pivot.expressions[0], quote(_UNPIVOTED)
        pivot.set("expressions", [exp.to_identifier(_UNPIVOTED, quoted=True)])
        return f"* EXCEPT ({hidden}), {hidden} AS {self.sql(value)}"

    def _title_pivoted(self, pivot: exp.Expr) -> str:
        """Return the SELECT list of a PIVOT whose columns Spark would name otherwise.

        The PIVOT gets hidden names for its values and aggregates. DEFAULT ON NULL, which Spark does
        not have, is put around its columns.
        """
        [field], aggregates = pivot.args["fields"], pivot.expressions
        default = pivot.args.get("default_on_null")
        pivot.set("default_on_null", None)
        values = [
            each.this if isinstance(each, exp.PivotAlias) else each for each in field.expressions
        ]
        hidden = [f"{_PIVOTED}{at}" for at in range(len(values))]
        aliases = [exp.to_identifier(name, quoted=True) for name in hidden]
        pairs = zip(values, aliases, strict=True)
        field.set("expressions", [exp.PivotAlias(this=each, alias=name) for each, name in pairs])
        plain = [each.unalias() for each in aggregates]
        if len(plain) > 1:
            plain = [exp.alias_(each, f"a{at}", quoted=True) for at, each in enumerate(plain)]
            hidden = [f"{name}_a{at}" for name in hidden for at in range(len(plain))]
        pivot.set("expressions", plain)
        titles = [self.sql(title) for title in pivot.args.get("columns") or ()]
        names = list(map(quote, hidden))
        if not titles:
            return f"* EXCEPT ({', '.join(names)})"
        shown = names
        if isinstance(default, exp.Expr):
            shown = [f"coalesce({name}, {self.sql(default)})" for name in names]
        titled = [f"{value} AS {title}" for value, title in zip(shown, titles, strict=True)]
        return f"* EXCEPT ({', '.join(names)}), {', '.join(titled)}"

    def _over(self, node: exp.Window) -> str:
        """Return ` OVER (…)`; some functions have another frame by default than in Spark."""
        call = node.this
        while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
            call = call.this
        named = call.name.upper() if isinstance(call, exp.Anonymous) else ""
        if node.args.get("spec") is None and not node.args.get("alias"):
            if named in _WHOLE_FRAME:
                node.set("spec", _rows_until("UNBOUNDED", "FOLLOWING"))
            elif named in _ROWS_SO_FAR:
                node.set("spec", _rows_until("CURRENT ROW", None))
        bare = exp.Window(**{**node.args, "this": exp.Var(this="")})
        return self.window_sql(bare)


def _needs_titles(pivot: exp.Expr) -> bool:
    """Tell whether a PIVOT has DEFAULT ON NULL, aliases of values and aggregates, or no values."""
    if pivot.args.get("unpivot"):
        return False
    if not pivot.args.get("columns"):
        return True
    values = [each for field in pivot.args["fields"] for each in field.expressions]
    has_names = any(isinstance(each, exp.PivotAlias) for each in values)
    has_titles = any(isinstance(each, exp.Alias) for each in pivot.expressions)
    return isinstance(pivot.args.get("default_on_null"), exp.Expr) or (has_names and has_titles)


def _items(node: exp.Expr) -> tuple[exp.Expr, ...]:
    order = node.args.get("expression")
    if order is None:
        hint = "Write WITHIN GROUP (ORDER BY …)."
        raise SqlSyntaxError("WITHIN GROUP needs an order.", hint=hint)
    return tuple(order.expressions)


def _is_computed(part: exp.Expr) -> bool:
    """Tell whether a part of a row is computed for every row."""
    if isinstance(part, exp.Query):
        return True
    return is_volatile(part)


def _rows_until(end: str, side: str | None) -> exp.WindowSpec:
    """Return the frame of the rows from the first of a partition to an end."""
    return exp.WindowSpec(
        kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end=end, end_side=side
    )


def _weight(node: exp.Expr) -> int:
    text = node.args.get("this")
    return _NODE + (len(text) if isinstance(text, str) else 0)
