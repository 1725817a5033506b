"""GET_DDL: the statement that makes an object as it is."""

from __future__ import annotations

from icemelt.catalog.records import StreamRecord, ViewRecord
from icemelt.errors import NotYet
from icemelt.schema import Column
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.stream_state import made_again
from icemelt.sql.dialect.written_names import full_name, identifier, written_name
from icemelt.sql.statements import ObjectKind

__all__ = ["definition", "view_definition"]


def definition(core: Core, kind: ObjectKind, name: str) -> str:
    """Return the statement that makes a view or a stream, all names in full.

    Raises:
        ObjectNotFound: there is none of that name.
        NotYet: the object is of another kind.
    """
    if kind is ObjectKind.VIEW:
        return view_definition(core.view(written_name(name)))
    if kind is ObjectKind.STREAM:
        return _stream_definition(core.stream(written_name(name)))
    raise NotYet(
        f"GET_DDL of a {kind.value} is not built yet.",
        hint=f"DESCRIBE {kind.name} {name} tells what is in it.",
    )


def view_definition(view: ViewRecord) -> str:
    """Return the statement that makes a view; its query stands as it was written."""
    columns = ", ".join(_column(column) for column in view.columns)
    made = f"CREATE OR REPLACE VIEW {full_name(view.name)}({columns}){_comment(view.comment)}"
    return f"{made} AS {view.query}"


def _stream_definition(stream: StreamRecord) -> str:
    """Return the statement that makes a stream, from now on: its offset is no part of it."""
    return made_again(stream) + _comment(stream.comment)


def _column(column: Column) -> str:
    comment = "" if column.comment is None else f" COMMENT {_text(column.comment)}"
    return identifier(column.name) + comment


def _comment(comment: str | None) -> str:
    return "" if comment is None else f" COMMENT = {_text(comment)}"


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
