"""An index of what a DROP has marked: a DROP and an UNDROP find all of it by the id of the DROP."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index; objects that are not dropped are not in it."""
    dropped = sa.text("drop_id IS NOT NULL")
    op.create_index(
        "ix_icemelt_objects_drop_id",
        "icemelt_objects",
        ["drop_id"],
        sqlite_where=dropped,
        postgresql_where=dropped,
    )
