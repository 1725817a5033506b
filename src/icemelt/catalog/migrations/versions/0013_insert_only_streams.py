"""Insert-only streams: what they do about files that are gone, and how many they passed over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the two columns; a stream that is there skips no file, and has skipped none."""
    missing = sa.Column("on_missing", sa.String(16), nullable=False, server_default="ERROR")
    skipped = sa.Column("files_skipped", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("icemelt_streams", missing)
    op.add_column("icemelt_streams", skipped)
