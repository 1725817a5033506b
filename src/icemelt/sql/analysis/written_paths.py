"""Names of objects with their schemas, and where the text of a statement has them."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.names import ObjectName, identifier
from icemelt.sql.analysis.stage_places import read_stage_place
from icemelt.sql.analysis.table_functions import find_error_table, unwrap_call
from icemelt.sql.analysis.user_functions import find_qualified_call
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.dialect.written_names import string_literal, written_name

__all__ = ["PathForm", "WrittenPath", "find_written_paths", "path_of_place", "path_of_text"]

_Span = tuple[int, int]


class PathForm(enum.Enum):
    """How a text has a name: as identifiers, or in quotes; of a stage as a place, or in quotes.

    A function's is without its own name: `public.` of `public.f(a)`.
    """

    NAME = enum.auto()
    BEFORE_COLUMN = enum.auto()
    CALL = enum.auto()
    QUOTED = enum.auto()
    PLACE = enum.auto()
    QUOTED_PLACE = enum.auto()


@dataclass(frozen=True, slots=True)
class WrittenPath:
    """A name with its schema in a text.

    Attributes:
        name: the name, of two or three parts.
        start: the offset at which the name begins, with its quote or `@`.
        end: the offset behind it; of identifiers the offset of the object's own name, and in a call
            that behind the schema.
        form: how it is written.
        rest: the path in the stage, of a place.
    """

    name: ObjectName
    start: int
    end: int
    form: PathForm = PathForm.NAME
    rest: str = ""

    @property
    def has_database(self) -> bool:
        """Tell whether the database is written."""
        return len(self.name.parts) == 3  # noqa: PLR2004 - database, schema, name

    def write(self, database: str, schema: str) -> str:
        """Return what stands between `start` and `end` for another database and schema.

        >>> path_of_place("@s.Landing/a b", (0, 16), is_quoted=True).write("main", "twin")
        "'@main.twin.landing/a b'"
        """
        qualifier = f"{identifier(database)}.{identifier(schema)}"
        if self.form is PathForm.CALL:
            return qualifier
        if self.form in {PathForm.NAME, PathForm.BEFORE_COLUMN}:
            return f"{qualifier}."
        full = f"{qualifier}.{identifier(self.name.parts[-1])}"
        if self.form is PathForm.QUOTED:
            return string_literal(full)
        place = f"@{full}/{self.rest}" if self.rest else f"@{full}"
        return string_literal(place) if self.form is PathForm.QUOTED_PLACE else place


def path_of_text(written: str, span: _Span) -> WrittenPath | None:
    """Return the name in a text in quotes, None for a name without a schema."""
    name = written_name(written)
    return None if len(name.parts) == 1 else WrittenPath(name, *span, PathForm.QUOTED)


def path_of_place(written: str, span: _Span, *, is_quoted: bool) -> WrittenPath | None:
    """Return the stage of a place such as `@main.public.s/2024`, None without a schema.

    Args:
        written: the place with its `@`.
        span: where it begins and ends in the text of the statement, with its quotes.
        is_quoted: whether it is in quotes.
    """
    place = read_stage_place(written)
    if len(place.stage.parts) == 1:
        return None
    form = PathForm.QUOTED_PLACE if is_quoted else PathForm.PLACE
    return WrittenPath(place.stage, *span, form, place.path)


def find_written_paths(node: exp.Expr) -> Iterator[WrittenPath]:
    """Yield the names with a schema in a query whose names are not resolved.

    They are those of tables, stages, file formats and functions, and those before the names of
    columns.
    """
    for table in node.find_all(exp.Table):
        yield from _paths_of(table)
    for column in node.find_all(exp.Column):
        path = _path_of_node(column, "table", "db", "catalog")
        if path is not None:
            yield replace(path, form=PathForm.BEFORE_COLUMN)
    for dotted in node.find_all(exp.Dot):
        yield from _path_of_call(dotted)


def _paths_of(table: exp.Table) -> Iterator[WrittenPath]:
    """Yield the names with a schema that an entry of FROM has."""
    span = table.meta.get("place")
    paths: list[WrittenPath | None] = []
    if span is not None:
        file_format = table.args.get("format")
        paths.append(path_of_place(table.name, span, is_quoted=table.meta["is_quoted"]))
        if isinstance(file_format, exp.Literal):
            paths.append(path_of_text(file_format.name, file_format.meta["span"]))
    elif isinstance(table.this, exp.Identifier):
        paths.append(_path_of_node(table, "this", "db", "catalog"))
    elif find_error_table(table) is not None:
        (column,) = unwrap_call(table).expressions
        paths.append(_path_of_node(column, "this", "table", "db"))
    yield from filter(None, paths)


def _path_of_call(dotted: exp.Dot) -> Iterator[WrittenPath]:
    """Yield the name in a call of `schema.f(…)`, nothing for another node."""
    call = find_qualified_call(dotted)
    if call is None:
        return
    parts = list(dotted.this.find_all(exp.Identifier))
    start = min(part.meta["start"] for part in parts)
    end = max(part.meta["end"] for part in parts) + 1
    name = ObjectName((*call.meta["path"], call.name.lower()))
    yield WrittenPath(name, start, end, PathForm.CALL)


def _path_of_node(node: exp.Expr, own: str, schema: str, database: str) -> WrittenPath | None:
    """Return the name in a node, None for a name without a schema.

    Args:
        node: a table or a column.
        own: the argument of the node with the object's own name.
        schema: the argument with the schema; `a..b` is in the schema public of a.
        database: the argument with the database.
    """
    parts = [node.args.get(part) for part in (database, schema, own)]
    first = next((part for part in parts if part), None)
    last = parts[-1]
    if first is None or first is last or not isinstance(last, exp.Identifier):
        return None
    names = [fold_identifier(part) or "public" for part in parts if part is not None]
    return WrittenPath(ObjectName(tuple(names)), first.meta["start"], last.meta["start"])
