"""Webhooks that tell of the runs of tasks are owed until they are delivered, or given up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of webhooks; runs that ended before have none."""
    op.create_table(
        "icemelt_webhooks",
        sa.Column("webhook_id", sa.String(length=36), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("message_type", sa.String(length=32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("webhook_id", name="pk_icemelt_webhooks"),
    )
    is_owed = sa.text("next_at IS NOT NULL")
    op.create_index(
        "ix_icemelt_webhooks_next_at",
        "icemelt_webhooks",
        ["next_at"],
        sqlite_where=is_owed,
        postgresql_where=is_owed,
    )
    op.create_index("ix_icemelt_webhooks_ended_at", "icemelt_webhooks", ["ended_at"])
