"""Table functions of FROM: FLATTEN, GENERATOR, ERROR_TABLE, SYSTEM$STREAM_BACKLOG and others."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from icemelt.errors import NotYet, QueryError, SqlSyntaxError
from icemelt.names import ObjectName, add_error_suffix
from icemelt.schema import DataType, DecimalType, ListType, MapType, Primitive, sql_type
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.analysis.system_calls import BACKLOG, text_argument
from icemelt.sql.dialect.written_names import written_name

__all__ = [
    "Flatten",
    "GenerateRows",
    "SplitRows",
    "TableFunction",
    "arguments_by_name",
    "find_backlog_stream",
    "find_error_table",
    "is_true",
    "make_table_function",
    "require_flattenable",
    "unwrap_call",
]

_STRING = Primitive("string")
_LONG = Primitive("long")
_VARIANT = Primitive("variant")
_FLATTEN_ARGUMENTS = ("input", "path", "outer", "recursive", "mode")
_GENERATOR_ARGUMENTS = ("rowcount", "timelimit")
_TABLE_CLAUSES = ("sample", "pivots", "when", "changes")
_ERROR_TABLE = "ERROR_TABLE"
_SPLIT_FUNCTIONS = {"SPLIT_TO_TABLE": "SPLIT", "STRTOK_SPLIT_TO_TABLE": "STRTOK_TO_ARRAY"}
_MODES = ("BOTH", "OBJECT", "ARRAY")


class TableFunction(exp.Expression):
    """A function in FROM.

    Arguments of the node are:

    * `arguments`: expressions over the entries of FROM on the left.
    * `prefix`: the beginning of names of hidden columns, which no user column has.
    * `single`: whether all rows come from one input.
    * `numbered`: whether the query may name the column SEQ, the number of the input.
    * `outer`: whether an input without elements has a row, by OUTER => TRUE.
    * `left`: whether the function stands for a LEFT JOIN, which adds a row of NULLs.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "arguments": True,
        "prefix": True,
        "alias": False,
        "joins": False,
        "outer": False,
        "left": False,
        "single": False,
        "numbered": False,
    }

    @property
    def columns(self) -> dict[str, DataType | None]:
        """The types of the function's columns, by name."""
        return {}


class Flatten(TableFunction):
    """`FLATTEN`: a row for each element of an array or object."""

    arg_types: ClassVar[dict[str, bool]] = {
        **TableFunction.arg_types,
        "path": False,
        "mode": False,
        "recursive": False,
    }

    @property
    def typed_input(self) -> ListType | MapType | None:
        """The type of an input whose elements have a type of their own; None for a variant."""
        kind = kind_of(self.args["arguments"][0])
        is_inside = self.args.get("path") or self.args.get("recursive")
        return kind if isinstance(kind, (ListType, MapType)) and not is_inside else None

    @property
    def columns(self) -> dict[str, DataType | None]:
        """Snowflake's columns; the value of a typed array or map has the type of the elements."""
        match kind := self.typed_input:
            case ListType(element) | MapType(_, element):
                value: DataType = element
            case _:
                value = _VARIANT
        return {
            "seq": _LONG,
            "key": _STRING,
            "path": _STRING,
            "index": _LONG,
            "value": value,
            "this": kind or _VARIANT,
        }


class SplitRows(TableFunction):
    """`SPLIT_TO_TABLE` and `STRTOK_SPLIT_TO_TABLE`: a row for each part of a string.

    The argument `function` returns the parts as an array.
    """

    arg_types: ClassVar[dict[str, bool]] = {**TableFunction.arg_types, "function": True}

    @property
    def columns(self) -> dict[str, DataType | None]:
        """Snowflake's columns."""
        return {"seq": _LONG, "index": _LONG, "value": _STRING}


class GenerateRows(TableFunction):
    """`GENERATOR`: rows without columns, except for the hidden number of the row."""


def make_table_function(node: exp.Expr, prefix: str) -> TableFunction:
    """Return the node for a function call in FROM, in place of sqlglot's node.

    >>> call = exp.Anonymous(this="FLATTEN", expressions=[exp.column("a")])
    >>> make_table_function(exp.Lateral(this=call), "__x_").key
    'flatten'
    """
    call = unwrap_call(node)
    if any(node.args.get(part) for part in _TABLE_CLAUSES):
        message = f"{call.name.upper()} in FROM takes no SAMPLE, PIVOT, AT or CHANGES."
        raise NotYet(message, hint="Write FROM (SELECT * FROM TABLE(…)), and that behind it.")
    alias, joins = node.args.get("alias"), node.args.get("joins")
    replacement: TableFunction
    match call.name.upper():
        case "FLATTEN":
            replacement = _make_flatten(call)
        case "SPLIT_TO_TABLE" | "STRTOK_SPLIT_TO_TABLE" as name:
            replacement = SplitRows(arguments=call.expressions, function=_SPLIT_FUNCTIONS[name])
        case "GENERATOR":
            replacement = _make_generator(call)
        case "GETNEXTVAL":
            raise NotYet(
                "The table function GETNEXTVAL is not supported.",
                hint="SELECT s.NEXTVAL AS id, q.* FROM (…) AS q numbers the rows of a query.",
            )
        case name:
            raise NotYet(
                f"The table function {name} is not supported.",
                hint=f"Use FLATTEN, {', '.join(_SPLIT_FUNCTIONS)} or GENERATOR, or a subquery.",
            )
    replacement.set("prefix", prefix)
    replacement.set("alias", alias)
    replacement.set("joins", joins)
    return replacement


def require_flattenable(function: TableFunction) -> None:
    """Require an input that may have elements, of a FLATTEN whose arguments are resolved.

    Raises:
        QueryError: the input is a number, a text, or another value without elements.

    >>> require_flattenable(Flatten(arguments=[exp.Literal.string("a")]))
    Traceback (most recent call last):
    icemelt.errors.QueryError: FLATTEN takes a VARIANT, an OBJECT or an ARRAY, found VARCHAR.
    Hint: Write FLATTEN(INPUT => PARSE_JSON(v)), or FLATTEN(INPUT => SPLIT(v, ',')).
    """
    kind = kind_of(function.args["arguments"][0])
    if not isinstance(function, Flatten) or kind == _VARIANT:
        return
    if isinstance(kind, (DecimalType, Primitive)):
        raise QueryError(
            f"FLATTEN takes a VARIANT, an OBJECT or an ARRAY, found {sql_type(kind)}.",
            hint="Write FLATTEN(INPUT => PARSE_JSON(v)), or FLATTEN(INPUT => SPLIT(v, ',')).",
        )


def find_backlog_stream(node: exp.Expr) -> ObjectName | None:
    """Return the stream of a call of SYSTEM$STREAM_BACKLOG in FROM, or None for another function.

    >>> call = exp.Anonymous(this=BACKLOG, expressions=[exp.Literal.string("a.S")])
    >>> find_backlog_stream(exp.Table(this=exp.Anonymous(this="TABLE", expressions=[call])))
    ObjectName(parts=('a', 's'))
    """
    call = unwrap_call(node)
    if call.name.upper() != BACKLOG:
        return None
    if node.args.get("when") or node.args.get("changes"):
        raise NotYet("A stream's backlog has no history.", hint="Leave AT and CHANGES out.")
    return written_name(text_argument(BACKLOG, tuple(call.expressions)))


def find_error_table(node: exp.Expr) -> exp.Table | None:
    """Return the error table of a call of `ERROR_TABLE(t)` in FROM, or None for another function.

    >>> call = exp.Anonymous(this="ERROR_TABLE", expressions=[exp.column("Orders", "Sales")])
    >>> find_error_table(exp.Table(this=call)).sql()
    'Sales."orders$errors"'
    """
    call = unwrap_call(node)
    if call.name.upper() != _ERROR_TABLE:
        return None
    named = call.expressions[0] if len(call.expressions) == 1 else None
    if not isinstance(named, exp.Column) or isinstance(named.this, exp.Star):
        raise SqlSyntaxError(
            "ERROR_TABLE takes the name of a table.", hint="SELECT * FROM ERROR_TABLE(orders)"
        )
    *outer, table = named.parts
    name = table.name if table.args.get("quoted") else table.name.lower()
    path = dict(zip(("db", "catalog"), reversed(outer), strict=False))
    other_parts = {part: value for part, value in node.args.items() if part != "this"}
    this = exp.to_identifier(add_error_suffix(name), quoted=True)
    return exp.Table(**{**other_parts, **path, "this": this})


def unwrap_call(node: exp.Expr) -> exp.Expr:
    """Return the call of a function in FROM, without TABLE around it."""
    call: exp.Expr = node.this
    if call.name.upper() == "TABLE" and len(call.expressions) == 1:
        call = call.expressions[0]
    return call


def _make_flatten(call: exp.Expr) -> Flatten:
    arguments = arguments_by_name(call, _FLATTEN_ARGUMENTS)
    if "input" not in arguments:
        raise SqlSyntaxError("FLATTEN needs its input.", hint="Write FLATTEN(INPUT => column).")
    mode = arguments["mode"].name.upper() if "mode" in arguments else "BOTH"
    if mode not in _MODES:
        hint = f"Write one of {', '.join(_MODES)}."
        raise SqlSyntaxError(f"The MODE of FLATTEN is not '{mode}'.", hint=hint)
    for word in ("path", "mode"):
        _require_literal(arguments.get(word), word, exp.Literal, "'…'")
    for word in ("outer", "recursive"):
        _require_literal(arguments.get(word), word, exp.Boolean, "TRUE")
    return Flatten(
        arguments=[arguments["input"]],
        path=arguments["path"].name if "path" in arguments else None,
        outer=is_true(arguments.get("outer")),
        mode=mode,
        recursive=is_true(arguments.get("recursive")),
    )


def _require_literal(
    argument: exp.Expr | None, word: str, kind: type[exp.Expr], example: str
) -> None:
    if argument is not None and not isinstance(argument, kind):
        raise SqlSyntaxError(
            f"{word.upper()} of FLATTEN is no constant.", hint=f"Write {word.upper()} => {example}."
        )


def _make_generator(call: exp.Expr) -> GenerateRows:
    arguments = arguments_by_name(call, _GENERATOR_ARGUMENTS)
    if "rowcount" not in arguments:
        hint = "Write GENERATOR(ROWCOUNT => 10)."
        raise NotYet("GENERATOR needs a ROWCOUNT.", hint=hint)
    return GenerateRows(arguments=[arguments["rowcount"]])


def arguments_by_name(call: exp.Expr, names: tuple[str, ...]) -> dict[str, exp.Expr]:
    """Return the arguments of a call by name; arguments without a name are in the names' order.

    Raises:
        SqlSyntaxError: there is no argument of a name.
    """
    arguments: dict[str, exp.Expr] = {}
    for position, argument in enumerate(call.expressions):
        if isinstance(argument, exp.Kwarg):
            name, value = argument.this.name.lower(), argument.expression
        else:
            name, value = names[min(position, len(names) - 1)], argument
        if name not in names:
            known = ", ".join(name.upper() for name in names)
            message = f"{call.name.upper()} has no argument {name.upper()}."
            raise SqlSyntaxError(message, hint=f"Its arguments are {known}.")
        arguments[name] = value
    return arguments


def is_true(node: exp.Expr | None) -> bool:
    """Tell whether an argument is the constant TRUE."""
    return isinstance(node, exp.Boolean) and bool(node.this)
