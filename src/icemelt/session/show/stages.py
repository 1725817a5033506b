"""SHOW STAGES and DESCRIBE STAGE."""

from __future__ import annotations

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.queries.listings import last_listing
from icemelt.catalog.queries.moments import time_of_commit
from icemelt.names import ObjectName, QualifiedName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.hiding import shown_location
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.file_formats import format_properties
from icemelt.session.show.show_scope import find_defined, list_tersely
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import FileFormat, Show
from icemelt.storage.locations import store_and_path
from icemelt.times import as_datetime

__all__ = ["POLLING", "STAGE_COLUMNS", "describe_stage", "show_stages", "stage_row"]

STAGE_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "url",
    "has_credentials",
    "has_encryption_key",
    "owner",
    "comment",
    "region",
    "type",
    "cloud",
    "notification_channel",
    "storage_integration",
    "endpoint",
    "owner_role_type",
    "directory_enabled",
)
_PROPERTY_COLUMNS = (
    "parent_property",
    "property",
    "property_type",
    "property_value",
    "property_default",
)
_FORMAT, _LOCATION, _DIRECTORY = "STAGE_FILE_FORMAT", "STAGE_LOCATION", "DIRECTORY"
# as often as sessions with maintenance do (`background_maintenance.py`)
POLLING = "polling, every 60 seconds"
_CLOUDS = {"s3": "AWS", "s3a": "AWS", "s3n": "AWS", "gs": "GCP", "abfs": "AZURE", "abfss": "AZURE"}


def show_stages(core: Core, statement: Show) -> LocalRows:
    """Run SHOW STAGES: Snowflake's columns; those of credentials and clouds are empty."""
    listed = find_defined(core, statement, StageRecord)
    if statement.terse:
        return list_tersely(listed)
    return LocalRows(STAGE_COLUMNS, tuple(stage_row(core, stage) for stage in listed))


def describe_stage(core: Core, name: ObjectName) -> LocalRows:
    """Run DESCRIBE STAGE: a row for each property, with value and default."""
    stage = core.object_of(StageRecord, name)
    rows: list[tuple[str, ...]] = []
    if stage.format_name is not None:
        named = full_name(QualifiedName(*stage.format_name))
        rows.append((_FORMAT, "FORMAT_NAME", "String", named, ""))
    else:
        found = format_properties(FileFormat[stage.file_type], stage.options)
        rows += [(_FORMAT, *each) for each in found]
    rows.append((_LOCATION, "URL", "String", _shown_url(core, stage), ""))
    rows.append((_DIRECTORY, "ENABLE", "Boolean", _word(stage.has_directory), "false"))
    if stage.has_directory:
        rows.append((_DIRECTORY, "AUTO_REFRESH", "Boolean", _word(stage.refreshes_itself), "false"))
        with core.database.read() as connection:
            commit = last_listing(connection, stage.object_id)
            listed = as_datetime(time_of_commit(connection, commit)) if commit else None
        shown = "" if listed is None else listed.isoformat(" ", "milliseconds")
        rows.append((_DIRECTORY, "LAST_REFRESHED_ON", "String", shown, ""))
    return LocalRows(_PROPERTY_COLUMNS, tuple(rows))


def stage_row(core: Core, stage: StageRecord) -> tuple[object, ...]:
    """Return a stage's row of SHOW STAGES; a guest does not see a place that it may not name."""
    kind = "INTERNAL" if stage.url is None else "EXTERNAL"
    return (
        as_datetime(stage.created_at),
        stage.name.name,
        stage.name.database,
        stage.name.schema,
        _shown_url(core, stage),
        "N",
        "N",
        stage.owner,
        stage.comment or "",
        None,
        kind if stage.session_id is None else f"{kind} TEMPORARY",
        _cloud(stage.url),
        POLLING if stage.refreshes_itself else None,
        None,
        None,
        "ROLE",
        "Y" if stage.has_directory else "N",
    )


def _shown_url(core: Core, stage: StageRecord) -> str:
    return "" if stage.url is None else shown_location(core, stage.url)


def _word(value: bool) -> str:  # noqa: FBT001 - the value itself
    return "true" if value else "false"


def _cloud(url: str | None) -> str | None:
    """Return the cloud of a location, None for this machine and for other stores."""
    found = None if url is None else store_and_path(url)
    return None if found is None else _CLOUDS.get(found[0])
