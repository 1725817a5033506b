"""Loads that were replaced are kept for as long as an open transaction may list them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of former loads; what was replaced before is not in it."""
    op.create_table(
        "icemelt_former_loads",
        sa.Column(
            "table_id",
            sa.String(36),
            sa.ForeignKey("icemelt_objects.object_id"),
            primary_key=True,
        ),
        sa.Column("path", sa.String(2048), primary_key=True),
        sa.Column("ended_in", sa.BigInteger(), primary_key=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("modified_at", sa.BigInteger(), nullable=False),
        sa.Column("rows_loaded", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("loaded_at", sa.BigInteger(), nullable=False),
        sa.Column("statement_id", sa.String(36), nullable=False),
        sa.Column("rows_parsed", sa.BigInteger()),
        sa.Column("pipe_id", sa.String(36)),
        sa.Column("first_error", sa.Text()),
        sa.Column("first_line", sa.BigInteger()),
        sa.Column("first_column", sa.Text()),
    )
