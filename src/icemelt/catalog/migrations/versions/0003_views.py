"""Views."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of views."""
    op.create_table(
        "icemelt_views",
        sa.Column("view_id", sa.String(length=36), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("sources", sa.JSON(), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["view_id"], ["icemelt_objects.object_id"], name="fk_icemelt_views_view_id"
        ),
        sa.PrimaryKeyConstraint("view_id", name="pk_icemelt_views"),
    )
