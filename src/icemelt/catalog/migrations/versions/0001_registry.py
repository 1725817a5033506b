"""The registry's first tables; later revisions add tables, alter tables, and drop reservations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of the first revision."""
    op.create_table(
        "icemelt_lake",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("lake_id", sa.String(length=36), nullable=False),
        sa.Column("catalog_name", sa.String(length=255), nullable=False),
        sa.Column("warehouse", sa.Text(), nullable=False),
        sa.Column("commit_number", sa.BigInteger(), nullable=False),
        sa.Column("commit_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_icemelt_lake"),
    )
    op.create_table(
        "icemelt_objects",
        sa.Column("object_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("parent_id", sa.String(length=36), nullable=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("folded", sa.String(length=1024), nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("dropped_at", sa.BigInteger(), nullable=True),
        sa.Column("drop_id", sa.String(length=36), nullable=True),
        sa.Column("retention_days", sa.Integer(), nullable=True),
        sa.Column("extension_days", sa.Integer(), nullable=True),
        sa.Column("session_id", sa.String(length=36), nullable=True),
        sa.Column("namespace", sa.String(length=255), nullable=True),
        sa.Column("catalog_table_name", sa.String(length=255), nullable=True),
        sa.Column("table_uuid", sa.String(length=36), nullable=True),
        sa.Column("known_location", sa.Text(), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["icemelt_objects.object_id"], name="fk_icemelt_objects_parent_id"
        ),
        sa.PrimaryKeyConstraint("object_id", name="pk_icemelt_objects"),
    )
    op.create_table(
        "icemelt_statements",
        sa.Column("statement_id", sa.String(length=36), nullable=False),
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("transaction_id", sa.String(length=36), nullable=True),
        sa.Column("user", sa.String(length=255), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("commit_number", sa.BigInteger(), nullable=True),
        sa.Column("wrote", sa.Boolean(), nullable=False),
        sa.Column("rowcount", sa.BigInteger(), nullable=True),
        sa.Column("error_code", sa.String(length=64), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("statement_id", name="pk_icemelt_statements"),
    )
    op.create_index(
        "ix_icemelt_statements_started_at", "icemelt_statements", ["started_at"], unique=False
    )
    op.create_table(
        "icemelt_transactions",
        sa.Column("transaction_id", sa.String(length=36), nullable=False),
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("user", sa.String(length=255), nullable=False),
        sa.Column("commit_number", sa.BigInteger(), nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("transaction_id", name="pk_icemelt_transactions"),
    )
    op.create_index(
        "ix_icemelt_transactions_commit_number",
        "icemelt_transactions",
        ["commit_number"],
        unique=False,
    )
    op.create_index(
        "ix_icemelt_transactions_committed_at",
        "icemelt_transactions",
        ["committed_at"],
        unique=False,
    )
    op.create_table(
        "icemelt_loads",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.String(length=2048), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("modified_at", sa.BigInteger(), nullable=False),
        sa.Column("rows_loaded", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("loaded_at", sa.BigInteger(), nullable=False),
        sa.Column("statement_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"], ["icemelt_objects.object_id"], name="fk_icemelt_loads_table_id"
        ),
        sa.PrimaryKeyConstraint("table_id", "path", name="pk_icemelt_loads"),
    )
    op.create_table(
        "icemelt_reservations",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("transaction_id", sa.String(length=36), nullable=False),
        sa.Column("lapses_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"], ["icemelt_objects.object_id"], name="fk_icemelt_reservations_table_id"
        ),
        sa.PrimaryKeyConstraint("table_id", name="pk_icemelt_reservations"),
    )
    op.create_table(
        "icemelt_tracking",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("since_commit", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("until_commit", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["table_id"], ["icemelt_objects.object_id"], name="fk_icemelt_tracking_table_id"
        ),
        sa.PrimaryKeyConstraint("table_id", "since_commit", name="pk_icemelt_tracking"),
    )
    op.create_table(
        "icemelt_versions",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("commit_number", sa.BigInteger(), nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=True),
        sa.Column("operation", sa.String(length=32), nullable=False),
        sa.Column("snapshots", sa.JSON(), nullable=False),
        sa.Column("user", sa.String(length=255), nullable=False),
        sa.Column("statement_id", sa.String(length=36), nullable=True),
        sa.Column("transaction_id", sa.String(length=36), nullable=True),
        sa.Column("from_foreign", sa.Boolean(), nullable=False),
        sa.Column("total_rows", sa.BigInteger(), nullable=True),
        sa.Column("total_bytes", sa.BigInteger(), nullable=True),
        sa.Column("inserted", sa.BigInteger(), nullable=True),
        sa.Column("updated", sa.BigInteger(), nullable=True),
        sa.Column("deleted", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["table_id"], ["icemelt_objects.object_id"], name="fk_icemelt_versions_table_id"
        ),
        sa.PrimaryKeyConstraint("table_id", "version", name="pk_icemelt_versions"),
    )
    op.create_index(
        "ix_icemelt_versions_commit",
        "icemelt_versions",
        ["table_id", "commit_number"],
        unique=False,
    )
    op.create_index("ix_icemelt_versions_time", "icemelt_versions", ["committed_at"], unique=False)
    op.create_index(
        "uq_icemelt_objects_live",
        "icemelt_objects",
        [
            sa.text("coalesce(parent_id, '')"),
            "folded",
            sa.text("coalesce(session_id, '')"),
        ],
        unique=True,
        sqlite_where=sa.text("dropped_at IS NULL"),
        postgresql_where=sa.text("dropped_at IS NULL"),
    )
