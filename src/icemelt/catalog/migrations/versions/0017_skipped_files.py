"""The history of statements: how many files a statement has left out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the count, unknown for older statements."""
    op.add_column("icemelt_statements", sa.Column("files_skipped", sa.BigInteger(), nullable=True))
