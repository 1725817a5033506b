"""Streams, frontiers, open transactions and locks; the metadata file of a table's last version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables for streams and for transactions of many statements.

    The metadata files of earlier versions are not known: their `location` stays NULL.
    """
    op.add_column("icemelt_versions", sa.Column("location", sa.Text(), nullable=True))
    op.execute(
        "UPDATE icemelt_versions SET location = (SELECT known_location FROM icemelt_objects "
        "WHERE object_id = table_id AND icemelt_objects.version = icemelt_versions.version)"
    )
    op.create_table(
        "icemelt_streams",
        sa.Column("stream_id", sa.String(length=36), nullable=False),
        sa.Column("source_kind", sa.String(length=16), nullable=False),
        sa.Column("source_id", sa.String(length=36), nullable=False),
        sa.Column("mode", sa.String(length=16), nullable=False),
        sa.Column("move", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["stream_id"], ["icemelt_objects.object_id"], name="fk_icemelt_streams_stream_id"
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["icemelt_objects.object_id"], name="fk_icemelt_streams_source_id"
        ),
        sa.PrimaryKeyConstraint("stream_id", name="pk_icemelt_streams"),
    )
    op.create_index("ix_icemelt_streams_source_id", "icemelt_streams", ["source_id"])
    op.create_table(
        "icemelt_frontiers",
        sa.Column("stream_id", sa.String(length=36), nullable=False),
        sa.Column("move", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("source_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("position", sa.String(length=1024), nullable=False),
        sa.Column("initial", sa.Boolean(), nullable=False),
        sa.Column("moved_in", sa.BigInteger(), nullable=False),
        sa.Column("moved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["stream_id"], ["icemelt_streams.stream_id"], name="fk_icemelt_frontiers_stream_id"
        ),
        sa.PrimaryKeyConstraint("stream_id", "move", "source_id", name="pk_icemelt_frontiers"),
    )
    op.create_table(
        "icemelt_open_transactions",
        sa.Column("transaction_id", sa.String(length=36), nullable=False),
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("user", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("commit_number", sa.BigInteger(), nullable=False),
        sa.Column("lapses_at", sa.BigInteger(), nullable=False),
        sa.Column("waits_for", sa.String(length=36), nullable=True),
        sa.Column("aborted_by", sa.String(length=255), nullable=True),
        sa.PrimaryKeyConstraint("transaction_id", name="pk_icemelt_open_transactions"),
    )
    op.create_table(
        "icemelt_locks",
        sa.Column("object_id", sa.String(length=36), nullable=False),
        sa.Column("transaction_id", sa.String(length=36), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("acquired_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["object_id"], ["icemelt_objects.object_id"], name="fk_icemelt_locks_object_id"
        ),
        sa.PrimaryKeyConstraint("object_id", name="pk_icemelt_locks"),
    )
