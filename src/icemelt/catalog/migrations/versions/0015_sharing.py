"""Which tables share files, since one is a clone of another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of sharing, and an index by which a pointer's object is found."""
    op.create_table(
        "icemelt_sharing",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("family_id", sa.String(length=36), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("collection", sa.String(length=16), nullable=True),
        sa.PrimaryKeyConstraint("table_id", name="pk_icemelt_sharing"),
    )
    op.create_index("ix_icemelt_sharing_family_id", "icemelt_sharing", ["family_id"])
    op.create_index(
        "ix_icemelt_objects_catalog_table_name", "icemelt_objects", ["catalog_table_name"]
    )
