"""Pipes: the files that they have queued, and which pipe loaded a file; why a file was refused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of pipes; no file was loaded by a pipe yet."""
    op.create_table(
        "icemelt_pipes",
        sa.Column("pipe_id", sa.String(length=36), nullable=False),
        sa.Column("ingested_at", sa.BigInteger(), nullable=True),
        sa.Column("ingested_name", sa.String(length=2048), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("error_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["pipe_id"], ["icemelt_objects.object_id"], name="fk_icemelt_pipes_pipe_id"
        ),
        sa.PrimaryKeyConstraint("pipe_id", name="pk_icemelt_pipes"),
    )
    op.create_table(
        "icemelt_queued_files",
        sa.Column("pipe_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.String(length=2048), nullable=False),
        sa.Column("name", sa.String(length=2048), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("modified_at", sa.BigInteger(), nullable=False),
        sa.Column("queued_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["pipe_id"], ["icemelt_objects.object_id"], name="fk_icemelt_queued_files_pipe_id"
        ),
        sa.PrimaryKeyConstraint("pipe_id", "path", name="pk_icemelt_queued_files"),
    )
    op.add_column("icemelt_loads", sa.Column("rows_parsed", sa.BigInteger(), nullable=True))
    op.add_column("icemelt_loads", sa.Column("pipe_id", sa.String(length=36), nullable=True))
    op.add_column("icemelt_loads", sa.Column("first_error", sa.Text(), nullable=True))
    op.add_column("icemelt_loads", sa.Column("first_line", sa.BigInteger(), nullable=True))
    op.add_column("icemelt_loads", sa.Column("first_column", sa.Text(), nullable=True))
