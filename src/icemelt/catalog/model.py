"""The registry's SQL tables, and Iceberg's two JDBC catalog tables.

The columns of `iceberg_tables` and `iceberg_namespace_properties` are the columns of Iceberg's
`JdbcUtil`, schema version V1, for every engine with a JDBC catalog to read the lake.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = [
    "BY_ID",
    "BY_NAME",
    "PUBLICATIONS",
    "channels",
    "definitions",
    "dependencies",
    "former_loads",
    "frontiers",
    "iceberg_namespaces",
    "iceberg_tables",
    "keys",
    "lake",
    "leases",
    "listed_files",
    "listings",
    "loads",
    "metadata",
    "objects",
    "open_transactions",
    "pipes",
    "queued_files",
    "running",
    "schedulers",
    "sequences",
    "sharing",
    "statements",
    "streams",
    "task_graph_versions",
    "task_graphs",
    "task_runs",
    "tracking",
    "transactions",
    "versions",
    "views",
    "webhooks",
]

# how a dependency is bound: to the object with a name, or to one object whatever its name
BY_NAME, BY_ID = "BY_NAME", "BY_ID"
# the channel on which PostgreSQL tells of publications
PUBLICATIONS = "icemelt_publications"

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = sa.MetaData(naming_convention=_NAMES)
catalog_metadata = sa.MetaData()

lake = sa.Table(
    "icemelt_lake",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("lake_id", sa.String(36), nullable=False),
    sa.Column("catalog_name", sa.String(255), nullable=False),
    sa.Column("warehouse", sa.Text, nullable=False),
    sa.Column("commit_number", sa.BigInteger, nullable=False),
    sa.Column("commit_time", sa.BigInteger, nullable=False),
    sa.Column("lease_token", sa.BigInteger, nullable=False, server_default="0"),
)

objects = sa.Table(
    "icemelt_objects",
    metadata,
    sa.Column("object_id", sa.String(36), primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("parent_id", sa.String(36), sa.ForeignKey("icemelt_objects.object_id")),
    sa.Column("name", sa.String(255), nullable=False),
    sa.Column("folded", sa.String(1024), nullable=False),
    sa.Column("owner", sa.String(255), nullable=False),
    sa.Column("comment", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("dropped_at", sa.BigInteger),
    sa.Column("drop_id", sa.String(36)),
    sa.Column("retention_days", sa.Integer),
    sa.Column("extension_days", sa.Integer),
    sa.Column("session_id", sa.String(36)),
    sa.Column("namespace", sa.String(255)),
    sa.Column("catalog_table_name", sa.String(255)),
    sa.Column("table_uuid", sa.String(36)),
    sa.Column("known_location", sa.Text),
    sa.Column("version", sa.BigInteger),
    sa.Column("snapshot_id", sa.BigInteger),
    sa.Column("space", sa.String(16), nullable=False, server_default=""),
    sa.Index("ix_icemelt_objects_folded", "folded"),
    sa.Index("ix_icemelt_objects_catalog_table_name", "catalog_table_name"),
)
# A temporary table hides a permanent table of the same name, so the session is part of the key.
# The empty string means no session, since NULLs are distinct in a unique index. `space` is the name
# space (`QualifiedName.space`): a task and a table may have one name.
sa.Index(
    "uq_icemelt_objects_live",
    sa.func.coalesce(objects.c.parent_id, ""),
    objects.c.folded,
    sa.func.coalesce(objects.c.session_id, ""),
    objects.c.space,
    unique=True,
    sqlite_where=objects.c.dropped_at.is_(None),
    postgresql_where=objects.c.dropped_at.is_(None),
)
sa.Index(
    "ix_icemelt_objects_drop_id",
    objects.c.drop_id,
    sqlite_where=objects.c.drop_id.is_not(None),
    postgresql_where=objects.c.drop_id.is_not(None),
)

versions = sa.Table(
    "icemelt_versions",
    metadata,
    sa.Column("table_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("commit_number", sa.BigInteger, nullable=False),
    sa.Column("committed_at", sa.BigInteger, nullable=False),
    sa.Column("snapshot_id", sa.BigInteger),
    sa.Column("operation", sa.String(32), nullable=False),
    sa.Column("snapshots", sa.JSON, nullable=False),
    sa.Column("user", sa.String(255), nullable=False),
    sa.Column("statement_id", sa.String(36)),
    sa.Column("transaction_id", sa.String(36)),
    sa.Column("from_foreign", sa.Boolean, nullable=False),
    sa.Column("total_rows", sa.BigInteger),
    sa.Column("total_bytes", sa.BigInteger),
    sa.Column("inserted", sa.BigInteger),
    sa.Column("updated", sa.BigInteger),
    sa.Column("deleted", sa.BigInteger),
    sa.Column("location", sa.Text),
    sa.Index("ix_icemelt_versions_commit", "table_id", "commit_number"),
    sa.Index("ix_icemelt_versions_time", "committed_at"),
)

# Which version wrote a row, and when: a row has the sequence number of its snapshot. Rows outlive
# versions, and so do the rows of this table.
sequences = sa.Table(
    "icemelt_sequences",
    metadata,
    sa.Column("table_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("last_sequence", sa.BigInteger, nullable=False),
    sa.Column("committed_at", sa.BigInteger, nullable=False),
)

tracking = sa.Table(
    "icemelt_tracking",
    metadata,
    sa.Column("table_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("since_commit", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("until_commit", sa.BigInteger),
)

statements = sa.Table(
    "icemelt_statements",
    metadata,
    sa.Column("statement_id", sa.String(36), primary_key=True),
    sa.Column("session_id", sa.String(36), nullable=False),
    sa.Column("transaction_id", sa.String(36)),
    sa.Column("user", sa.String(255), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("commit_number", sa.BigInteger),
    sa.Column("wrote", sa.Boolean, nullable=False),
    sa.Column("rowcount", sa.BigInteger),
    sa.Column("error_code", sa.String(64)),
    sa.Column("error_message", sa.Text),
    sa.Column("key_id", sa.String(36)),
    sa.Column("database_name", sa.String(255)),
    sa.Column("schema_name", sa.String(255)),
    sa.Column("files_skipped", sa.BigInteger),
    sa.Index("ix_icemelt_statements_started_at", "started_at"),
    sa.Index("ix_icemelt_statements_ended_at", "ended_at"),
    sa.Index("ix_icemelt_statements_key_id", "key_id", "ended_at"),
)

transactions = sa.Table(
    "icemelt_transactions",
    metadata,
    sa.Column("transaction_id", sa.String(36), primary_key=True),
    sa.Column("session_id", sa.String(36), nullable=False),
    sa.Column("user", sa.String(255), nullable=False),
    sa.Column("commit_number", sa.BigInteger, nullable=False),
    sa.Column("committed_at", sa.BigInteger, nullable=False),
    sa.Index("ix_icemelt_transactions_commit_number", "commit_number"),
    sa.Index("ix_icemelt_transactions_committed_at", "committed_at"),
)

loads = sa.Table(
    "icemelt_loads",
    metadata,
    sa.Column("table_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("path", sa.String(2048), primary_key=True),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("modified_at", sa.BigInteger, nullable=False),
    sa.Column("rows_loaded", sa.BigInteger, nullable=False),
    sa.Column("errors", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(32), nullable=False),
    sa.Column("loaded_at", sa.BigInteger, nullable=False),
    sa.Column("statement_id", sa.String(36), nullable=False),
    sa.Column("rows_parsed", sa.BigInteger),
    sa.Column("pipe_id", sa.String(36)),
    sa.Column("first_error", sa.Text),
    sa.Column("first_line", sa.BigInteger),
    sa.Column("first_column", sa.Text),
)

# Loads that another load of the file has replaced, or a TRUNCATE has forgotten, in a commit that an
# open transaction does not see: it lists them as they were at its beginning.
former_loads = sa.Table(
    "icemelt_former_loads",
    metadata,
    sa.Column("table_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("path", sa.String(2048), primary_key=True),
    sa.Column("ended_in", sa.BigInteger, primary_key=True),
    *(
        sa.Column(column.name, column.type, nullable=column.nullable)
        for column in loads.columns
        if not column.primary_key
    ),
)

# A named, ordered writer of a table. An opening raises `client_sequencer`; `row_sequencer` is the
# number of the last committed append, and `offset_token` is the token of the append.
channels = sa.Table(
    "icemelt_channels",
    metadata,
    sa.Column("channel_id", sa.String(36), primary_key=True),
    sa.Column("table_id", sa.ForeignKey("icemelt_objects.object_id"), nullable=False),
    sa.Column("name", sa.String(255), nullable=False),
    sa.Column("owner", sa.String(255), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("active_at", sa.BigInteger, nullable=False),
    sa.Column("client_sequencer", sa.BigInteger, nullable=False),
    sa.Column("row_sequencer", sa.BigInteger, nullable=False),
    sa.Column("offset_token", sa.Text),
    sa.UniqueConstraint("table_id", "name"),
)

# Statements running or waiting on a server for longer than a moment. Readers leave out the
# statements of a server whose lease has expired.
running = sa.Table(
    "icemelt_running",
    metadata,
    sa.Column("statement_id", sa.String(36), primary_key=True),
    sa.Column("server_id", sa.String(36), primary_key=True),
    sa.Column("key_id", sa.String(36), nullable=False),
    sa.Column("user", sa.String(255), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("submitted_at", sa.BigInteger, nullable=False),
    sa.Column("started_at", sa.BigInteger),
    sa.Column("is_cancelled", sa.Boolean, nullable=False),
)

# Who may use a server: only the hash of a key is kept. A key's statements are cancelled after
# `statement_timeout` seconds; NULL is the server's own limit, 0 is no limit.
keys = sa.Table(
    "icemelt_keys",
    metadata,
    sa.Column("key_id", sa.String(36), primary_key=True),
    sa.Column("name", sa.String(255), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Column("statement_timeout", sa.Float),
)

# Leases: a holder's right to a resource until a time. `token` is above the tokens of all earlier
# leases. `life` is the time from a renewal to the expiry, in milliseconds. Resources are of several
# kinds, so their ids have no foreign key.
leases = sa.Table(
    "icemelt_leases",
    metadata,
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("resource_id", sa.String(36), primary_key=True),
    sa.Column("holder", sa.String(36), nullable=False),
    sa.Column("token", sa.BigInteger, nullable=False),
    sa.Column("acquired_at", sa.BigInteger, nullable=False),
    sa.Column("life", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Index("ix_icemelt_leases_holder", "holder"),
)

streams = sa.Table(
    "icemelt_streams",
    metadata,
    sa.Column("stream_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("source_kind", sa.String(16), nullable=False),
    sa.Column("source_id", sa.ForeignKey("icemelt_objects.object_id"), nullable=False),
    sa.Column("mode", sa.String(16), nullable=False),
    sa.Column("dialect", sa.String(16), nullable=False),
    sa.Column("move", sa.BigInteger, nullable=False),
    sa.Column("source_version", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("on_missing", sa.String(16), nullable=False, server_default="ERROR"),
    sa.Column("files_skipped", sa.BigInteger, nullable=False, server_default="0"),
    sa.Index("ix_icemelt_streams_source_id", "source_id"),
)

# A stream's frontier after every move: a transaction reads the frontier of its beginning. A move
# removes older moves needed by no transaction.
frontiers = sa.Table(
    "icemelt_frontiers",
    metadata,
    sa.Column("stream_id", sa.ForeignKey("icemelt_streams.stream_id"), primary_key=True),
    sa.Column("move", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("source_id", sa.String(36), primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("position", sa.String(1024), nullable=False),
    sa.Column("initial", sa.Boolean, nullable=False),
    sa.Column("moved_in", sa.BigInteger, nullable=False),
    sa.Column("moved_at", sa.BigInteger, nullable=False),
)

views = sa.Table(
    "icemelt_views",
    metadata,
    sa.Column("view_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("columns", sa.JSON, nullable=False),
    sa.Column("time_zone", sa.String(64), nullable=False),
)

# The sources of views and streams. A view reads the object with a name, with the columns of when
# the view was made. A stream reads an object by id: `name` is the object's name in the stream's
# views.
dependencies = sa.Table(
    "icemelt_dependencies",
    metadata,
    sa.Column("dependent_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("binding", sa.String(16), nullable=False),
    sa.Column("object_id", sa.String(36)),
    sa.Column("database_name", sa.String(255)),
    sa.Column("schema_name", sa.String(255)),
    sa.Column("name", sa.String(255)),
    sa.Column("folded_database", sa.String(1024)),
    sa.Column("folded_schema", sa.String(1024)),
    sa.Column("folded_name", sa.String(1024)),
    sa.Column("columns", sa.JSON),
    sa.Column("used", sa.JSON),
    sa.Index("ix_icemelt_dependencies_object_id", "object_id"),
    sa.Index("ix_icemelt_dependencies_folded_name", "folded_name"),
)

# What objects of the smaller kinds have of their own, one JSON document each: file formats, stages.
definitions = sa.Table(
    "icemelt_definitions",
    metadata,
    sa.Column("object_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("definition", sa.JSON, nullable=False),
)

# The next number of each sequence, and of each column that numbers its rows. The owner is the
# sequence or the table, which may not be published yet. NULL stands for no number left.
next_values = sa.Table(
    "icemelt_next_values",
    metadata,
    sa.Column("owner_id", sa.String(36), primary_key=True),
    sa.Column("field_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("next_value", sa.BigInteger),
)

# The files of a stage's directory table. A listing is a commit that found files added, changed or
# removed; the other listings leave nothing.
listings = sa.Table(
    "icemelt_listings",
    metadata,
    sa.Column("owner_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("commit_number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("committed_at", sa.BigInteger, nullable=False),
    sa.Column("user", sa.String(255), nullable=False),
    sa.Column("statement_id", sa.String(36)),
    sa.Column("transaction_id", sa.String(36), nullable=False),
    sa.Column("added", sa.BigInteger, nullable=False),
    sa.Column("changed", sa.BigInteger, nullable=False),
    sa.Column("removed", sa.BigInteger, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Index("ix_icemelt_listings_commit_number", "commit_number"),
    sa.Index("ix_icemelt_listings_committed_at", "committed_at"),
)

# A file as it was from a listing to the next listing that found it changed or removed.
# `added_in` is the listing that found the path first, or again after its removal.
listed_files = sa.Table(
    "icemelt_listed_files",
    metadata,
    sa.Column("owner_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("path", sa.String(2048), primary_key=True),
    sa.Column("since_commit", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("until_commit", sa.BigInteger),
    sa.Column("added_in", sa.BigInteger, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("modified_at", sa.BigInteger, nullable=False),
    sa.Column("etag", sa.String(255), nullable=False),
    sa.Index("ix_icemelt_listed_files_since_commit", "owner_id", "since_commit"),
    sa.Index("ix_icemelt_listed_files_until_commit", "owner_id", "until_commit"),
)

# What pipes have done last. A pipe without a row has loaded no file and met no error.
pipes = sa.Table(
    "icemelt_pipes",
    metadata,
    sa.Column("pipe_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("ingested_at", sa.BigInteger),
    sa.Column("ingested_name", sa.String(2048)),
    sa.Column("error", sa.Text),
    sa.Column("error_at", sa.BigInteger),
)

# The files that a pipe has found and not loaded yet, as they were when found. `name` is the path
# below the pipe's location.
queued_files = sa.Table(
    "icemelt_queued_files",
    metadata,
    sa.Column("pipe_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("path", sa.String(2048), primary_key=True),
    sa.Column("name", sa.String(2048), nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("modified_at", sa.BigInteger, nullable=False),
    sa.Column("queued_at", sa.BigInteger, nullable=False),
)

open_transactions = sa.Table(
    "icemelt_open_transactions",
    metadata,
    sa.Column("transaction_id", sa.String(36), primary_key=True),
    sa.Column("session_id", sa.String(36), nullable=False),
    sa.Column("user", sa.String(255), nullable=False),
    sa.Column("name", sa.String(255)),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("commit_number", sa.BigInteger, nullable=False),
    sa.Column("waits_for", sa.String(36)),
    sa.Column("aborted_by", sa.String(255)),
)

# Tables that share files, one being a clone of the other, are a family. The row of a table outlives
# the table's object as long as another of the family may name files in the folder. `collection` is
# the table's property `gc.enabled` before the first clone; NULL where there was none.
sharing = sa.Table(
    "icemelt_sharing",
    metadata,
    sa.Column("table_id", sa.String(36), primary_key=True),
    sa.Column("family_id", sa.String(36), nullable=False),
    sa.Column("folder", sa.Text, nullable=False),
    sa.Column("collection", sa.String(16)),
    sa.Index("ix_icemelt_sharing_family_id", "family_id"),
)

# The graphs of tasks, one row for each root that is live, with all that decides what runs next.
# `state` names versions by number. `seen_at` is the time of the last event. `digest` tells what
# tasks the newest version has. `queued_run_id` is the run of EXECUTE TASK that waits for its turn.
task_graphs = sa.Table(
    "icemelt_task_graphs",
    metadata,
    sa.Column("root_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("schema_id", sa.ForeignKey("icemelt_objects.object_id"), nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("seen_at", sa.BigInteger, nullable=False),
    sa.Column("next_wake", sa.BigInteger),
    sa.Column("next_scheduled_at", sa.BigInteger),
    sa.Column("wants_look", sa.Boolean, nullable=False),
    sa.Column("queued_run_id", sa.BigInteger),
    sa.Column("graph_version", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("state", sa.JSON, nullable=False),
    sa.Index("ix_icemelt_task_graphs_schema_id", "schema_id"),
    sa.Index("ix_icemelt_task_graphs_next_wake", "next_wake"),
)

# The versions of graphs that a run needs, and the newest one.
task_graph_versions = sa.Table(
    "icemelt_task_graph_versions",
    metadata,
    sa.Column("root_id", sa.ForeignKey("icemelt_objects.object_id"), primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("tasks", sa.JSON, nullable=False),
)

# The history of tasks, a row for each attempt of a run to run a task. It outlives the tasks.
task_runs = sa.Table(
    "icemelt_task_runs",
    metadata,
    sa.Column("root_id", sa.String(36), primary_key=True),
    sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("task", sa.String(255), primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("task_id", sa.String(36), nullable=False),
    sa.Column("folded", sa.String(1024), nullable=False),
    sa.Column("root_name", sa.String(255), nullable=False),
    sa.Column("folded_root", sa.String(1024), nullable=False),
    sa.Column("database_name", sa.String(255), nullable=False),
    sa.Column("schema_name", sa.String(255), nullable=False),
    sa.Column("graph_version", sa.BigInteger, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False),
    sa.Column("state", sa.String(32), nullable=False),
    sa.Column("run_scheduled_at", sa.BigInteger, nullable=False),
    sa.Column("scheduled_at", sa.BigInteger, nullable=False),
    sa.Column("started_at", sa.BigInteger),
    sa.Column("completed_at", sa.BigInteger),
    sa.Column("holder", sa.Text),
    sa.Column("token", sa.BigInteger),
    sa.Column("error_code", sa.Text),
    sa.Column("error_message", sa.Text),
    sa.Column("return_value", sa.Text),
    sa.Column("query_id", sa.String(36)),
    sa.Column("query_text", sa.Text, nullable=False),
    sa.Column("condition_text", sa.Text),
    sa.Column("config", sa.Text),
    # of a server, who wrote the body; NULL for who runs the lake
    sa.Column("client", sa.Text),
    sa.Index("ix_icemelt_task_runs_folded_scheduled_at", "folded", "scheduled_at"),
    sa.Index("ix_icemelt_task_runs_scheduled_at", "scheduled_at"),
    sa.Index("ix_icemelt_task_runs_completed_at", "completed_at"),
)
sa.Index(
    "ix_icemelt_task_runs_open",
    task_runs.c.root_id,
    task_runs.c.scheduled_at,
    sqlite_where=task_runs.c.completed_at.is_(None),
    postgresql_where=task_runs.c.completed_at.is_(None),
)

# What looks for tasks to run. A scheduler is alive until `seen_at` + `life`.
schedulers = sa.Table(
    "icemelt_schedulers",
    metadata,
    sa.Column("scheduler_id", sa.String(36), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("process_id", sa.BigInteger, nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("seen_at", sa.BigInteger, nullable=False),
    sa.Column("life", sa.BigInteger, nullable=False),
)

# What is told by webhooks of the runs of tasks: owed while `next_at` says when to try next. The row
# of one that was delivered, or given up, stays as long as the history of the runs.
webhooks = sa.Table(
    "icemelt_webhooks",
    metadata,
    sa.Column("webhook_id", sa.String(36), primary_key=True),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("message_type", sa.String(32), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("next_at", sa.BigInteger),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
    sa.Column("last_error", sa.Text),
    sa.Index("ix_icemelt_webhooks_ended_at", "ended_at"),
)
sa.Index(
    "ix_icemelt_webhooks_next_at",
    webhooks.c.next_at,
    sqlite_where=webhooks.c.next_at.is_not(None),
    postgresql_where=webhooks.c.next_at.is_not(None),
)

iceberg_tables = sa.Table(
    "iceberg_tables",
    catalog_metadata,
    sa.Column("catalog_name", sa.String(255), primary_key=True),
    sa.Column("table_namespace", sa.String(255), primary_key=True),
    sa.Column("table_name", sa.String(255), primary_key=True),
    sa.Column("metadata_location", sa.String(1000)),
    sa.Column("previous_metadata_location", sa.String(1000)),
    sa.Column("iceberg_type", sa.String(5)),
)

iceberg_namespaces = sa.Table(
    "iceberg_namespace_properties",
    catalog_metadata,
    sa.Column("catalog_name", sa.String(255), primary_key=True),
    sa.Column("namespace", sa.String(255), primary_key=True),
    sa.Column("property_key", sa.String(255), primary_key=True),
    sa.Column("property_value", sa.String(1000)),
)
