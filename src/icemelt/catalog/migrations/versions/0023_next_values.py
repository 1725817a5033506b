"""The next values of sequences, and of columns that number their rows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of next values: no object of before has one."""
    op.create_table(
        "icemelt_next_values",
        sa.Column("owner_id", sa.String(length=36), nullable=False),
        sa.Column("field_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("next_value", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("owner_id", "field_id", name="pk_icemelt_next_values"),
    )
