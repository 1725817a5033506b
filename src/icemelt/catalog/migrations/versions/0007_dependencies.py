"""Dependencies as rows: the sources of views, stored in a document before, and of streams.

A stream keeps the version of its view at the time the stream was made.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_VIEWS = sa.table("icemelt_views", sa.column("view_id"), sa.column("sources", sa.JSON))
_STREAMS = sa.table(
    "icemelt_streams", sa.column("stream_id"), sa.column("source_id"), sa.column("move")
)
_FRONTIERS = sa.table(
    "icemelt_frontiers",
    sa.column("stream_id"),
    sa.column("move"),
    sa.column("source_id"),
    sa.column("position"),
)


def upgrade() -> None:
    """Add the dependencies, with what the views and the streams said, and the version of a view."""
    dependencies = op.create_table(
        "icemelt_dependencies",
        sa.Column("dependent_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("binding", sa.String(length=16), nullable=False),
        sa.Column("object_id", sa.String(length=36), nullable=True),
        sa.Column("database_name", sa.String(length=255), nullable=True),
        sa.Column("schema_name", sa.String(length=255), nullable=True),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("folded_database", sa.String(length=1024), nullable=True),
        sa.Column("folded_schema", sa.String(length=1024), nullable=True),
        sa.Column("folded_name", sa.String(length=1024), nullable=True),
        sa.Column("columns", sa.JSON(), nullable=True),
        sa.Column("used", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["dependent_id"],
            ["icemelt_objects.object_id"],
            name="fk_icemelt_dependencies_dependent_id",
        ),
        sa.PrimaryKeyConstraint("dependent_id", "position", name="pk_icemelt_dependencies"),
    )
    for column in ("object_id", "folded_name"):
        op.create_index(f"ix_icemelt_dependencies_{column}", "icemelt_dependencies", [column])
    connection = op.get_bind()
    for view in connection.execute(sa.select(_VIEWS)).all():
        for row in _rows_of_view(view):
            connection.execute(dependencies.insert().values(row))
    for stream in connection.execute(sa.select(_STREAMS)).all():
        at = sa.select(_FRONTIERS).where(
            _FRONTIERS.c.stream_id == stream.stream_id, _FRONTIERS.c.move == stream.move
        )
        for row in _rows_of_stream(stream, connection.execute(at).all()):
            connection.execute(dependencies.insert().values(row))
    op.create_index("ix_icemelt_objects_folded", "icemelt_objects", ["folded"])
    op.drop_column("icemelt_views", "sources")
    source_version = sa.Column(
        "source_version", sa.BigInteger(), nullable=False, server_default="0"
    )
    op.add_column("icemelt_streams", source_version)


def _rows_of_view(view: Any) -> Iterator[dict[str, Any]]:
    for position, source in enumerate(view.sources):
        yield {
            "dependent_id": view.view_id,
            "position": position,
            "binding": "BY_NAME",
            **_names(source["name"]),
            "columns": source["columns"],
            "used": source["used"],
        }


def _rows_of_stream(stream: Any, frontier: Sequence[Any]) -> Iterator[dict[str, Any]]:
    read: dict[str, dict[str, str]] = {stream.source_id: {}}
    for source in frontier:
        _, _, *called = source.position.split("@", 2)
        read[source.source_id] = _names(json.loads(called[0])) if called else {}
    for position, (source_id, names) in enumerate(read.items()):
        yield {
            "dependent_id": stream.stream_id,
            "position": position,
            "binding": "BY_ID",
            "object_id": source_id,
            **names,
        }


def _names(parts: Sequence[str]) -> dict[str, str]:
    database, schema, name = parts
    return {
        "database_name": database,
        "schema_name": schema,
        "name": name,
        "folded_database": _fold(database),
        "folded_schema": _fold(schema),
        "folded_name": _fold(name),
    }


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
