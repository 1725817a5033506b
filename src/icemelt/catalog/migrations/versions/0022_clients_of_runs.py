"""Runs of tasks are told apart by the clients who wrote their bodies: clients take turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the client of each run; runs that were recorded before count as those of no client."""
    op.add_column("icemelt_task_runs", sa.Column("client", sa.Text(), nullable=True))
