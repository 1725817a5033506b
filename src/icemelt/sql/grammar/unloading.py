"""COPY INTO a location: rows of a query become files."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import ObjectName, find_nearest
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.grammar.file_formats import read_file_format
from icemelt.sql.grammar.options import read_flag
from icemelt.sql.grammar.stages import read_location
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import FileFormat, Unload

__all__ = ["at_location", "read_unload"]

_FLAGS = ("DETAILED_OUTPUT", "HEADER", "INCLUDE_QUERY_ID", "OVERWRITE", "SINGLE")
_OPTIONS = (*_FLAGS, "FILE_FORMAT", "MAX_FILE_SIZE", "PARTITION BY")
_LATER = ("VALIDATION_MODE",)
# each with PARTITION BY is refused, as Snowflake refuses it
_NOT_IN_PARTITIONS = {
    "OVERWRITE": "Leave OVERWRITE out: files of two statements never have one name.",
    "SINGLE": "Leave SINGLE out: each partition has files of its own.",
}


@dataclass(slots=True)
class _UnloadOptions:
    """The options of COPY INTO a location: `met` has the names read, `on` the flags turned on."""

    format: FileFormat = FileFormat.CSV
    format_options: dict[str, str] = field(default_factory=dict)
    format_name: ObjectName | None = None
    on: set[str] = field(default_factory=set)
    max_file_size: int | None = None
    partition: exp.Expr | None = None
    met: set[str] = field(default_factory=set)


def at_location(reader: StatementReader) -> bool:
    """Tell whether a location is next, not a table name."""
    return reader.is_at_string() or reader.is_at("@")


def read_unload(reader: StatementReader) -> Unload:
    """Read `'location' FROM {table | (query)} [PARTITION BY expression] [option = value …]`."""
    location = read_location(reader, "a location")
    reader.need("FROM")
    rows = _read_rows(reader)
    options = _UnloadOptions()
    while not reader.is_at_end:
        if not reader.take(","):
            _read_option(reader, options)
    if options.partition is not None:
        rows = _add_partition(reader, rows, options.partition)
    elif isinstance(rows, exp.Table):
        rows = exp.Select(expressions=[exp.Star()], from_=exp.From(this=rows))
    return Unload(
        location,
        reader.composer.compose_query(rows),
        options.format,
        options.format_options,
        overwrite="OVERWRITE" in options.on,
        single="SINGLE" in options.on,
        header="HEADER" in options.on,
        detailed_output="DETAILED_OUTPUT" in options.on,
        max_file_size=options.max_file_size,
        format_name=options.format_name,
        has_format="FILE_FORMAT" in options.met,
        is_partitioned=options.partition is not None,
    )


def _read_rows(reader: StatementReader) -> exp.Expr:
    """Read a table's name or a query in parentheses, without the names resolved."""
    if reader.take("("):
        query = reader.read_query()
        reader.need(")")
        return query
    parts = [exp.to_identifier(part, quoted=True) for part in reader.read_object_name().parts]
    return exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))


def _add_partition(reader: StatementReader, rows: exp.Expr, partition: exp.Expr) -> exp.Select:
    """Return a query of the rows whose last column is the text of each row's partition."""
    hidden = {
        name: exp.to_identifier(reader.composer.slots.hidden_name(name), quoted=True)
        for name in ("partition", "rows")
    }
    text = exp.Alias(this=partition, alias=hidden["partition"])
    source = rows
    if not isinstance(rows, exp.Table):
        source = exp.Subquery(this=rows, alias=exp.TableAlias(this=hidden["rows"]))
    return exp.Select(expressions=[exp.Star(), text], from_=exp.From(this=source))


def _read_partition(reader: StatementReader) -> exp.Expr:
    """Read the expression of PARTITION BY, without its names resolved."""
    start = reader.mark()
    expression = reader.read_expression("the text of a row's partition")
    if isinstance(expression, exp.Tuple):
        reader.back(start)
        reader.fail(
            "PARTITION BY takes one expression, found several.", hint="PARTITION BY (a || '/' || b)"
        )
    for call in expression.find_all(exp.Func):
        is_aggregate = call.name.upper() in AGGREGATES or isinstance(call, exp.AggFunc)
        if is_aggregate and call.find_ancestor(exp.Window, exp.Query) is None:
            reader.back(start)
            reader.fail(
                "PARTITION BY gives a text for each row, found an aggregate.",
                hint="Compute it in the query: FROM (SELECT …, count(*) OVER (…) AS n FROM …).",
            )
    return expression


def _read_option(reader: StatementReader, options: _UnloadOptions) -> None:
    start = reader.mark()
    word = "PARTITION BY" if reader.is_at("PARTITION", "BY") else reader.word
    if word in _LATER:
        raise NotYet(f"COPY INTO a location with {word} is planned.", hint=f"Leave {word} out.")
    if word not in _OPTIONS:
        guess = find_nearest(word, _OPTIONS) if word else None
        hint = f"Did you mean {guess}?" if guess else f"The options are {', '.join(_OPTIONS)}."
        reader.fail(f"COPY INTO a location has no option {reader.next_text}.", hint=hint)
    if word in options.met:
        reader.fail(f"{word} is there twice.", hint="Write it once.")
    options.met.add(word)
    if reader.take("PARTITION", "BY"):
        options.partition = _read_partition(reader)
    else:
        reader.skip()
        reader.need("=")
        _read_value(reader, word, options)
    _validate_combination(reader, start, options)


def _read_value(reader: StatementReader, word: str, options: _UnloadOptions) -> None:
    if word == "FILE_FORMAT":
        options.format, options.format_options, options.format_name = read_file_format(reader)
    elif word == "MAX_FILE_SIZE":
        options.max_file_size = reader.read_integer("a number of bytes")
    elif read_flag(reader, word):
        options.on.add(word)


def _validate_combination(reader: StatementReader, start: int, options: _UnloadOptions) -> None:
    """Refuse the option at `start` where it does not go with the options before it."""
    lacks_id = "INCLUDE_QUERY_ID" in options.met - options.on
    if options.partition is None:
        if lacks_id:
            raise NotYet(
                "COPY INTO a location with INCLUDE_QUERY_ID = FALSE is planned.",
                hint="Leave INCLUDE_QUERY_ID out.",
            )
        return
    refused = [word for word in _NOT_IN_PARTITIONS if word in options.on]
    if lacks_id:
        refused.append("INCLUDE_QUERY_ID")
    for word in refused:
        value = str(word in options.on).upper()
        reader.back(start)
        reader.fail(
            f"PARTITION BY and {word} = {value} do not go together.",
            hint=_NOT_IN_PARTITIONS.get(word, "The statement's id is in each path: leave it out."),
        )
