"""Tasks have names of their own: a task and a table may share one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_INDEX = "uq_icemelt_objects_live"


def upgrade() -> None:
    """Add the name space of each object, and make the index of live names anew with it."""
    live = sa.text("dropped_at IS NULL")
    op.add_column(
        "icemelt_objects",
        sa.Column("space", sa.String(length=16), nullable=False, server_default=""),
    )
    op.drop_index(_INDEX, table_name="icemelt_objects")
    op.create_index(
        _INDEX,
        "icemelt_objects",
        [
            sa.text("coalesce(parent_id, '')"),
            "folded",
            sa.text("coalesce(session_id, '')"),
            "space",
        ],
        unique=True,
        sqlite_where=live,
        postgresql_where=live,
    )
