"""Statements of servers: running statements, the keys of statements, and the keys' time limits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add running statements, and the columns for keys and limits."""
    op.create_table(
        "icemelt_running",
        sa.Column("statement_id", sa.String(length=36), nullable=False),
        sa.Column("server_id", sa.String(length=36), nullable=False),
        sa.Column("key_id", sa.String(length=36), nullable=False),
        sa.Column("user", sa.String(length=255), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("lapses_at", sa.BigInteger(), nullable=False),
        sa.Column("is_cancelled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("statement_id", "server_id", name="pk_icemelt_running"),
    )
    op.add_column("icemelt_statements", sa.Column("key_id", sa.String(length=36), nullable=True))
    op.add_column("icemelt_keys", sa.Column("statement_timeout", sa.Float(), nullable=True))
