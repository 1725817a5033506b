"""SHOW VIEWS."""

from __future__ import annotations

from icemelt.catalog.queries.finding import find_views
from icemelt.session.ddl.definitions import view_definition
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import choose_records, find_scope, list_tersely
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = ["show_views"]

_VIEW_COLUMNS = (
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
    with core.database.read() as connection:
        views = find_views(connection, within=within)
    listed = choose_records(views, statement, lambda view: view.name.name)
    if statement.terse:
        return list_tersely(listed)
    return LocalRows(
        _VIEW_COLUMNS,
        tuple(
            (
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
            for view in listed
        ),
    )
