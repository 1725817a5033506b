"""COPY INTO a table from a query: `FROM (SELECT $1, $2::DATE FROM @stage/path)`."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from icemelt.errors import Never, NotYet, SqlSyntaxError
from icemelt.names import ObjectName
from icemelt.spark_sql.loading import BROKEN, PLACE_TYPES
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.analysis.failing_casts import probe_casts
from icemelt.sql.analysis.stage_places import find_files
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import FileFormat, NextValue, Query, StageFiles

__all__ = ["INSTEAD_OF_QUERY", "compose_copy_query", "read_copy_query"]

# clauses by the names of sqlglot's arguments
_CLAUSES = {
    "distinct": "DISTINCT",
    "group": "GROUP BY",
    "having": "HAVING",
    "joins": "JOIN",
    "laterals": "LATERAL",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "order": "ORDER BY",
    "qualify": "QUALIFY",
    "where": "WHERE",
    "windows": "WINDOW",
    "with_": "WITH",
}
_TABLE_CLAUSES = {"joins": "JOIN", "sample": "SAMPLE", "pivots": "PIVOT"}
# Spark's functions that make several rows of one, or none
_GENERATORS = frozenset(
    {"EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER", "INLINE", "INLINE_OUTER"}
    | {"STACK", "JSON_TUPLE", "VARIANT_EXPLODE", "VARIANT_EXPLODE_OUTER", "SQL_KEYWORDS"}
)
INSTEAD_OF_QUERY = (
    "Write INSERT INTO t SELECT … FROM @stage/path, which takes each query; it keeps no list of "
    "loaded files."
)


def read_copy_query(
    reader: StatementReader, instead: str = INSTEAD_OF_QUERY
) -> tuple[exp.Select, StageFiles]:
    """Read `(SELECT … FROM @stage/path)` without its names resolved, and the files that it reads.

    Args:
        reader: stands at the parenthesis.
        instead: the hint of a query that does more than compute values of each record.

    Raises:
        Never: the query does more than compute values of each record.
        SqlSyntaxError: the query reads no files of a stage.
    """
    reader.need("(")
    node = reader.read_query()
    reader.need(")")
    if not isinstance(node, exp.Select):
        raise Never("COPY INTO takes one SELECT.", hint=INSTEAD_OF_QUERY)
    start = node.args.get("from_")
    files = None if start is None else find_files(start.this)
    if start is None or files is None:
        raise SqlSyntaxError(
            "COPY INTO from a query reads the files of a stage.",
            hint="Write FROM (SELECT $1, $2 FROM @stage/path), or INSERT INTO t SELECT ….",
        )
    found = [words for part, words in _CLAUSES.items() if node.args.get(part)]
    found += [words for part, words in _TABLE_CLAUSES.items() if start.this.args.get(part)]
    found += ["subquery"] if len(list(node.find_all(exp.Query))) > 1 else []
    found += [each.name.upper() for each in node.find_all(exp.Func) if _is_over_rows(each)]
    if found:
        raise Never(
            f"COPY INTO loads each record of its files; its query has no {found[0]}.", hint=instead
        )
    return node, files


def compose_copy_query(
    reader: StatementReader,
    node: exp.Select,
    file_format: FileFormat | None,
    format_name: ObjectName | None,
) -> tuple[Query, Query | None]:
    """Return the query, whose last columns are the places of the rows, and why rows are refused.

    Return also the query's probe (`failing_casts`) with the places of the rows, None where nothing
    is cast.

    Args:
        reader: the reader of the statement.
        node: the query.
        file_format: the type of the files in FILE_FORMAT of COPY INTO; None without a type.
        format_name: the file format named there, if any.
    """
    files = node.args["from_"].this
    if format_name is not None:
        name = exp.to_identifier(format_name.parts[-1], quoted=True)
        outer = [exp.to_identifier(part, quoted=True) for part in format_name.parts[:-1]]
        path = dict(zip(("db", "catalog"), reversed(outer), strict=False))
        files.set("format", exp.Table(this=name, **path))
    elif file_format is not None:
        files.meta["file_type"] = file_format.value
    hidden = (*PLACE_TYPES, BROKEN)
    node.set(
        "expressions",
        [*node.expressions, *(exp.column(exp.to_identifier(name, quoted=True)) for name in hidden)],
    )
    probe = probe_casts(node, len(hidden))
    query = reader.composer.compose_query(node)
    if any(NextValue.of_context(value.name) for value in query.context):
        raise NotYet(
            "NEXTVAL in the query of COPY INTO is not supported.",
            hint="A column with DEFAULT s.NEXTVAL that COPY INTO t (other, …) does not name.",
        )
    (reference,) = query.references
    columns = (reference.columns or frozenset()).union(hidden)
    query = replace(query, references=(replace(reference, columns=columns),))
    if probe is None:
        return query, None
    composed = reader.composer.compose_query(probe)
    return query, replace(composed, references=composed.references[1:])


def _is_over_rows(call: exp.Func) -> bool:
    """Tell whether a function sees more than one row, or makes more than one."""
    name = call.name.upper()
    return name in AGGREGATES or name in _GENERATORS or isinstance(call.parent, exp.Window)
