"""The columns of the relations of INFORMATION_SCHEMA, and which column of SHOW each column is.

The columns are those of Snowflake's pages (*Snowflake Information Schema*) that icemelt
knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.schema import Column, DataType, Primitive

__all__ = [
    "INFORMATION_COLUMNS",
    "QUERY_HISTORY",
    "TASK_DEPENDENTS",
    "InformationColumn",
    "columns_of_relation",
]

QUERY_HISTORY, TASK_DEPENDENTS = "query_history", "task_dependents"

_TEXT, _NUMBER, _TIME = Primitive("string"), Primitive("long"), Primitive("timestamptz")


@dataclass(frozen=True, slots=True)
class InformationColumn:
    """A column of a relation.

    Args:
        name: the column's name.
        value: the name of the column's value among the values of an object, as a column of SHOW.
        type: the column's type.
    """

    name: str
    value: str
    type: DataType = _TEXT


def columns_of_relation(relation: str) -> tuple[Column, ...]:
    """Return the columns of a relation, by its name in lower case.

    >>> [column.name for column in columns_of_relation("databases")][:2]
    ['database_name', 'database_owner']
    """
    return tuple(Column(column.name, column.type) for column in INFORMATION_COLUMNS[relation])


INFORMATION_COLUMNS: Mapping[str, tuple[InformationColumn, ...]] = {
    "columns": (
        InformationColumn("table_catalog", "database_name"),
        InformationColumn("table_schema", "schema_name"),
        InformationColumn("table_name", "table_name"),
        InformationColumn("column_name", "column_name"),
        InformationColumn("ordinal_position", "position", _NUMBER),
        InformationColumn("column_default", "default"),
        InformationColumn("is_nullable", "is_nullable"),
        InformationColumn("data_type", "data_type"),
        InformationColumn("character_maximum_length", "length", _NUMBER),
        InformationColumn("numeric_precision", "precision", _NUMBER),
        InformationColumn("numeric_scale", "scale", _NUMBER),
        InformationColumn("comment", "comment"),
    ),
    # of the table function COPY_HISTORY
    "copy_history": (
        InformationColumn("file_name", "file_name"),
        InformationColumn("last_load_time", "loaded_on", _TIME),
        InformationColumn("row_count", "rows_loaded", _NUMBER),
        InformationColumn("row_parsed", "rows_parsed", _NUMBER),
        InformationColumn("file_size", "file_size", _NUMBER),
        InformationColumn("first_error_message", "first_error"),
        InformationColumn("first_error_line_number", "first_line", _NUMBER),
        InformationColumn("first_error_column_name", "first_column"),
        InformationColumn("error_count", "errors_seen", _NUMBER),
        InformationColumn("status", "outcome"),
        InformationColumn("table_catalog_name", "database_name"),
        InformationColumn("table_schema_name", "schema_name"),
        InformationColumn("table_name", "table_name"),
        InformationColumn("pipe_catalog_name", "pipe_database"),
        InformationColumn("pipe_schema_name", "pipe_schema"),
        InformationColumn("pipe_name", "pipe_name"),
    ),
    "databases": (
        InformationColumn("database_name", "name"),
        InformationColumn("database_owner", "owner"),
        InformationColumn("comment", "comment"),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("retention_time", "retention_time", _NUMBER),
    ),
    "file_formats": (
        InformationColumn("file_format_catalog", "database_name"),
        InformationColumn("file_format_schema", "schema_name"),
        InformationColumn("file_format_name", "name"),
        InformationColumn("file_format_owner", "owner"),
        InformationColumn("file_format_type", "type"),
        InformationColumn("record_delimiter", "RECORD_DELIMITER"),
        InformationColumn("field_delimiter", "FIELD_DELIMITER"),
        InformationColumn("skip_header", "SKIP_HEADER", _NUMBER),
        InformationColumn("date_format", "DATE_FORMAT"),
        InformationColumn("timestamp_format", "TIMESTAMP_FORMAT"),
        InformationColumn("escape", "ESCAPE"),
        InformationColumn("trim_space", "TRIM_SPACE"),
        InformationColumn("field_optionally_enclosed_by", "FIELD_OPTIONALLY_ENCLOSED_BY"),
        InformationColumn("null_if", "NULL_IF"),
        InformationColumn("compression", "COMPRESSION"),
        InformationColumn("error_on_column_count_mismatch", "ERROR_ON_COLUMN_COUNT_MISMATCH"),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("comment", "comment"),
    ),
    "load_history": (
        InformationColumn("schema_name", "schema_name"),
        InformationColumn("file_name", "file_name"),
        InformationColumn("table_name", "table_name"),
        InformationColumn("last_load_time", "loaded_on", _TIME),
        InformationColumn("status", "status"),
        InformationColumn("row_count", "rows_loaded", _NUMBER),
        InformationColumn("row_parsed", "rows_parsed", _NUMBER),
        InformationColumn("first_error_message", "first_error"),
        InformationColumn("first_error_line_number", "first_line", _NUMBER),
        InformationColumn("first_error_column_name", "first_column"),
        InformationColumn("error_count", "errors_seen", _NUMBER),
    ),
    # of the table function QUERY_HISTORY; the value is the column's own
    QUERY_HISTORY: (
        InformationColumn("query_id", "query_id"),
        InformationColumn("query_text", "query_text"),
        InformationColumn("database_name", "database_name"),
        InformationColumn("schema_name", "schema_name"),
        InformationColumn("query_type", "query_type"),
        InformationColumn("session_id", "session_id"),
        InformationColumn("user_name", "user_name"),
        InformationColumn("execution_status", "execution_status"),
        InformationColumn("error_code", "error_code"),
        InformationColumn("error_message", "error_message"),
        InformationColumn("start_time", "start_time", _TIME),
        InformationColumn("end_time", "end_time", _TIME),
        InformationColumn("total_elapsed_time", "total_elapsed_time", _NUMBER),
        InformationColumn("transaction_id", "transaction_id"),
        # of icemelt
        InformationColumn("status", "status"),
        InformationColumn("rows_changed", "rows_changed", _NUMBER),
        InformationColumn("commit_number", "commit_number", _NUMBER),
        InformationColumn("files_skipped", "files_skipped", _NUMBER),
    ),
    "pipes": (
        InformationColumn("pipe_catalog", "database_name"),
        InformationColumn("pipe_schema", "schema_name"),
        InformationColumn("pipe_name", "name"),
        InformationColumn("pipe_owner", "owner"),
        InformationColumn("definition", "definition"),
        InformationColumn("is_autoingest_enabled", "ingests_itself"),
        InformationColumn("notification_channel_name", "notification_channel"),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("comment", "comment"),
        InformationColumn("pattern", "pattern"),
    ),
    "schemata": (
        InformationColumn("catalog_name", "database_name"),
        InformationColumn("schema_name", "name"),
        InformationColumn("schema_owner", "owner"),
        InformationColumn("retention_time", "retention_time", _NUMBER),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("comment", "comment"),
    ),
    "functions": (
        InformationColumn("function_catalog", "catalog_name"),
        InformationColumn("function_schema", "schema_name"),
        InformationColumn("function_name", "name"),
        InformationColumn("function_owner", "owner"),
        InformationColumn("argument_signature", "argument_signature"),
        InformationColumn("data_type", "data_type"),
        InformationColumn("function_language", "language"),
        InformationColumn("function_definition", "body"),
        InformationColumn("volatility", "volatility"),
        InformationColumn("is_null_call", "is_null_call"),
        InformationColumn("is_secure", "is_secure_function"),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("comment", "comment"),
    ),
    "sequences": (
        InformationColumn("sequence_catalog", "database_name"),
        InformationColumn("sequence_schema", "schema_name"),
        InformationColumn("sequence_name", "name"),
        InformationColumn("sequence_owner", "owner"),
        InformationColumn("data_type", "data_type"),
        InformationColumn("numeric_precision", "numeric_precision", _NUMBER),
        InformationColumn("numeric_precision_radix", "numeric_precision_radix", _NUMBER),
        InformationColumn("numeric_scale", "numeric_scale", _NUMBER),
        InformationColumn("start_value", "start_value"),
        InformationColumn("next_value", "next_text"),
        InformationColumn("increment", "increment_text"),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("ordered", "is_ordered"),
        InformationColumn("comment", "comment"),
    ),
    "stages": (
        InformationColumn("stage_catalog", "database_name"),
        InformationColumn("stage_schema", "schema_name"),
        InformationColumn("stage_name", "name"),
        InformationColumn("stage_url", "url"),
        InformationColumn("stage_type", "stage_type"),
        InformationColumn("stage_owner", "owner"),
        InformationColumn("comment", "comment"),
        InformationColumn("created", "created_on", _TIME),
    ),
    "streams": (
        InformationColumn("stream_catalog", "database_name"),
        InformationColumn("stream_schema", "schema_name"),
        InformationColumn("stream_name", "name"),
        InformationColumn("created_on", "created_on", _TIME),
        InformationColumn("name", "name"),
        InformationColumn("database_name", "database_name"),
        InformationColumn("schema_name", "schema_name"),
        InformationColumn("owner", "owner"),
        InformationColumn("comment", "comment"),
        InformationColumn("table_name", "table_name"),
        InformationColumn("source_type", "source_type"),
        InformationColumn("base_tables", "base_tables"),
        InformationColumn("type", "type"),
        InformationColumn("stale", "stale"),
        InformationColumn("mode", "mode"),
        InformationColumn("stale_after", "stale_after", _TIME),
        InformationColumn("invalid_reason", "invalid_reason"),
        InformationColumn("owner_role_type", "owner_role_type"),
        InformationColumn("rows_behind", "rows_behind", _NUMBER),
        InformationColumn("versions_behind", "versions_behind", _NUMBER),
        InformationColumn("seconds_behind", "seconds_behind", _NUMBER),
        InformationColumn("bytes_held", "bytes_held", _NUMBER),
        InformationColumn("files_skipped", "files_skipped", _NUMBER),
    ),
    "table_constraints": (
        InformationColumn("constraint_catalog", "database_name"),
        InformationColumn("constraint_schema", "schema_name"),
        InformationColumn("table_catalog", "database_name"),
        InformationColumn("table_schema", "schema_name"),
        InformationColumn("table_name", "name"),
        InformationColumn("constraint_type", "constraint_type"),
        InformationColumn("enforced", "enforced"),
        InformationColumn("rely", "rely"),
    ),
    "tables": (
        InformationColumn("table_catalog", "database_name"),
        InformationColumn("table_schema", "schema_name"),
        InformationColumn("table_name", "name"),
        InformationColumn("table_owner", "owner"),
        InformationColumn("table_type", "table_type"),
        InformationColumn("row_count", "rows", _NUMBER),
        InformationColumn("bytes", "bytes", _NUMBER),
        InformationColumn("retention_time", "retention_time", _NUMBER),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("last_altered", "altered_on", _TIME),
        InformationColumn("comment", "comment"),
        InformationColumn("is_temporary", "is_temporary"),
        # of icemelt
        InformationColumn("change_tracking", "change_tracking"),
    ),
    # of the table function TASK_DEPENDENTS
    TASK_DEPENDENTS: (
        InformationColumn("created_on", "created_on", _TIME),
        InformationColumn("name", "name"),
        InformationColumn("database_name", "database_name"),
        InformationColumn("schema_name", "schema_name"),
        InformationColumn("owner", "owner"),
        InformationColumn("comment", "comment"),
        InformationColumn("warehouse", "warehouse"),
        InformationColumn("schedule", "schedule"),
        InformationColumn("predecessors", "predecessors"),
        InformationColumn("state", "state"),
        InformationColumn("definition", "definition"),
        InformationColumn("condition", "condition"),
    ),
    "tasks": (
        InformationColumn("task_catalog", "database_name"),
        InformationColumn("task_schema", "schema_name"),
        InformationColumn("task_name", "name"),
        InformationColumn("created_on", "created_on", _TIME),
        InformationColumn("id", "id"),
        InformationColumn("name", "name"),
        InformationColumn("database_name", "database_name"),
        InformationColumn("schema_name", "schema_name"),
        InformationColumn("owner", "owner"),
        InformationColumn("comment", "comment"),
        InformationColumn("warehouse", "warehouse"),
        InformationColumn("schedule", "schedule"),
        InformationColumn("predecessors", "predecessors"),
        InformationColumn("state", "state"),
        InformationColumn("definition", "definition"),
        InformationColumn("condition", "condition"),
        InformationColumn("allow_overlapping_execution", "allow_overlapping_execution"),
        InformationColumn("error_integration", "error_integration"),
        InformationColumn("last_committed_on", "last_committed_on", _TIME),
        InformationColumn("last_suspended_on", "last_suspended_on", _TIME),
        InformationColumn("owner_role_type", "owner_role_type"),
        InformationColumn("config", "config"),
        InformationColumn("task_relations", "task_relations"),
        InformationColumn("last_suspended_reason", "last_suspended_reason"),
        InformationColumn("success_integration", "success_integration"),
        InformationColumn("overlap_policy", "overlap_policy"),
        InformationColumn("target_completion_interval", "target_completion_interval"),
    ),
    "views": (
        InformationColumn("table_catalog", "database_name"),
        InformationColumn("table_schema", "schema_name"),
        InformationColumn("table_name", "name"),
        InformationColumn("table_owner", "owner"),
        InformationColumn("view_definition", "text"),
        InformationColumn("created", "created_on", _TIME),
        InformationColumn("comment", "comment"),
        # of icemelt
        InformationColumn("time_zone", "timezone"),
    ),
}
