"""A view as other engines see it: an Iceberg view in Spark's SQL, where it can be one."""

from __future__ import annotations

import json

from icemelt.catalog.records import ReadState, ViewRecord, ViewSource
from icemelt.names import TableName, fold
from icemelt.quoting import quote
from icemelt.session.ddl.tables import table_location
from icemelt.session.runtime.core import Core
from icemelt.sql.statements import Query
from icemelt.tables.metadata.document import LAKE_PROPERTY
from icemelt.tables.metadata.locations import first_metadata_file
from icemelt.tables.writes.view_files import view_document

__all__ = ["namespace_of", "published"]


def namespace_of(name: TableName) -> str:
    """Return the namespace under which other engines see a schema."""
    return f"{name.database}.{name.schema}"


def published(core: Core, view: ViewRecord, query: Query, state: ReadState) -> str | None:
    """Write a view's metadata file and return where; None where no other engine can read the view.

    They know no streams, and nothing of the session that asks.
    """
    if query.context or not all(_is_readable(state, source) for source in view.sources):
        return None
    sources = {source.name: source for source in view.sources}
    relations = {}
    for reference in query.references:
        full = reference.name.within(view.name.database, view.name.schema)
        relations[reference.slot] = _relation(sources[full])
    names = ", ".join(quote(column.name) for column in view.columns)
    text = f"SELECT * FROM ({query.bind(relations)}) AS `icemelt_view`({names})"
    folder = table_location(core, view.name, view.object_id)
    properties = {LAKE_PROPERTY: core.database.lake_id, "icemelt.timezone": view.time_zone}
    if view.comment is not None:
        properties["comment"] = view.comment
    namespace = namespace_of(view.name).split(".")
    document = view_document(folder, view.columns, text, namespace, properties, state.now)
    location = first_metadata_file(folder)
    core.iceberg.write_bytes(location, json.dumps(document).encode())
    return location


def _is_readable(state: ReadState, source: ViewSource) -> bool:
    if source.name in state.views:
        return state.views[source.name].location is not None
    return source.name in state.tables


def _relation(source: ViewSource) -> str:
    """Return a source with the columns that the view uses, whatever it gets later."""
    parts = (*namespace_of(source.name).split("."), source.name.name)
    name = ".".join(quote(part) for part in parts)
    used = [column.name for column in source.columns if fold(column.name) in source.used]
    columns = ", ".join(map(quote, used)) or "1"
    return f"(SELECT {columns} FROM {name})"
