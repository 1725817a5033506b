"""Table streams: the dialect of a stream, and the version that wrote a row."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_VERSIONS = sa.table(
    "icemelt_versions",
    sa.column("table_id", sa.String),
    sa.column("version", sa.BigInteger),
    sa.column("committed_at", sa.BigInteger),
    sa.column("snapshots", sa.JSON),
)


def upgrade() -> None:
    """Add the dialect of streams, and the sequence numbers of the versions that are known."""
    dialect = sa.Column("dialect", sa.String(length=16), nullable=False, server_default="SNOWFLAKE")
    op.add_column("icemelt_streams", dialect)
    sequences = op.create_table(
        "icemelt_sequences",
        sa.Column("table_id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_sequence", sa.BigInteger(), nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"], ["icemelt_objects.object_id"], name="fk_icemelt_sequences_table_id"
        ),
        sa.PrimaryKeyConstraint("table_id", "version", name="pk_icemelt_sequences"),
    )
    found = op.get_bind().execute(sa.select(_VERSIONS))
    known = [
        {
            "table_id": row.table_id,
            "version": row.version,
            "last_sequence": row.snapshots[-1][1],
            "committed_at": row.committed_at,
        }
        for row in found
        if row.snapshots
    ]
    op.bulk_insert(sequences, known)
