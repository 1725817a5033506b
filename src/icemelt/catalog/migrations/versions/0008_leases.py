"""One table of leases: of open transactions, streams' locks, reservations and servers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COLUMNS = "(kind, resource_id, holder, token, acquired_at, life, expires_at)"
# what is held by sessions and servers of the version before expires by itself
_HELD = (
    """SELECT 'transaction', transaction_id, transaction_id, 0, started_at, 30000, lapses_at
    FROM icemelt_open_transactions""",
    """SELECT 'stream', l.object_id, l.transaction_id, l.token, l.acquired_at, 30000, t.lapses_at
    FROM icemelt_locks l JOIN icemelt_open_transactions t USING (transaction_id)""",
    """SELECT 'table', table_id, transaction_id, 0, lapses_at - 30000, 30000, lapses_at
    FROM icemelt_reservations""",
    """SELECT 'server', server_id, server_id, 0, max(lapses_at) - 60000, 60000, max(lapses_at)
    FROM icemelt_running GROUP BY server_id""",
)


def upgrade() -> None:
    """Add the leases and the last fencing token; move existing locks and reservations there."""
    op.create_table(
        "icemelt_leases",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("resource_id", sa.String(length=36), nullable=False),
        sa.Column("holder", sa.String(length=36), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("acquired_at", sa.BigInteger(), nullable=False),
        sa.Column("life", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "resource_id", name="pk_icemelt_leases"),
    )
    op.create_index("ix_icemelt_leases_holder", "icemelt_leases", ["holder"])
    last = sa.Column("lease_token", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("icemelt_lake", last)
    for held in _HELD:
        op.execute(f"INSERT INTO icemelt_leases {_COLUMNS} {held}")
    tokens = "SELECT coalesce(max(token), 0) FROM icemelt_streams"
    op.execute(f"UPDATE icemelt_lake SET lease_token = ({tokens})")
    op.drop_table("icemelt_locks")
    op.drop_table("icemelt_reservations")
    op.drop_column("icemelt_open_transactions", "lapses_at")
    op.drop_column("icemelt_running", "lapses_at")
    op.drop_column("icemelt_streams", "token")
