"""The history of statements: the database and the schema of each, and its order by the end."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, unknown for older statements, and the indexes that QUERY_HISTORY reads."""
    for column in ("database_name", "schema_name"):
        op.add_column("icemelt_statements", sa.Column(column, sa.String(length=255), nullable=True))
    op.create_index("ix_icemelt_statements_ended_at", "icemelt_statements", ["ended_at"])
    op.create_index("ix_icemelt_statements_key_id", "icemelt_statements", ["key_id", "ended_at"])
