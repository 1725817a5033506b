"""Row ingestion: channels, and the keys of a server's clients."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the channels with their last committed offset tokens, and the keys."""
    op.create_table(
        "icemelt_channels",
        sa.Column("channel_id", sa.String(length=36), nullable=False),
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("active_at", sa.BigInteger(), nullable=False),
        sa.Column("client_sequencer", sa.BigInteger(), nullable=False),
        sa.Column("row_sequencer", sa.BigInteger(), nullable=False),
        sa.Column("offset_token", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["table_id"], ["icemelt_objects.object_id"], name="fk_icemelt_channels_table_id"
        ),
        sa.PrimaryKeyConstraint("channel_id", name="pk_icemelt_channels"),
        sa.UniqueConstraint("table_id", "name", name="uq_icemelt_channels_table_id_name"),
    )
    op.create_table(
        "icemelt_keys",
        sa.Column("key_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("key_id", name="pk_icemelt_keys"),
    )
