"""SHOW VIEWS."""

from __future__ import annotations

from typing import Any

from icemelt.catalog.records import ViewRecord, Wanted
from icemelt.session.ddl.definitions import view_definition
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import choose_records, find_scope, list_tersely
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["VIEW_COLUMNS", "show_views", "view_row"]

VIEW_COLUMNS = (
    "created_on",
    "name",
    "reserved",
    "database_name",
    "schema_name",
    "owner",
    "comment",
    "text",
    "is_secure",
    "is_materialized",
    "owner_role_type",
    "change_tracking",
    "base_tables",
    "timezone",
    "is_published",
)


def show_views(core: Core, statement: Show) -> LocalRows:
    """Run SHOW VIEWS: Snowflake's columns, then the sources and the time zone of a view."""
    within = find_scope(core, statement).within
    found = core.resolver.list_objects(Wanted(frozenset({ViewRecord.kind}), within)).views
    listed = choose_records(found, statement, lambda view: view.name.name)
    if statement.terse:
        return list_tersely(listed)
    return LocalRows(VIEW_COLUMNS, tuple(map(view_row, listed)))


def view_row(view: ViewRecord) -> tuple[Any, ...]:
    """Return a view's row of SHOW VIEWS."""
    return (
        as_datetime(view.created_at),
        view.name.name,
        "",
        view.name.database,
        view.name.schema,
        view.owner,
        view.comment or "",
        view_definition(view),
        "false",
        "false",
        "ROLE",
        "ON",
        ", ".join(str(source.name) for source in view.sources),
        view.time_zone,
        "false" if view.location is None else "true",
    )
