"""Directory tables of stages: listings, and the files that they found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_DEFINITIONS = sa.table(
    "icemelt_definitions", sa.column("object_id", sa.String), sa.column("definition", sa.JSON)
)
_OBJECTS = sa.table(
    "icemelt_objects", sa.column("object_id", sa.String), sa.column("kind", sa.String)
)


def upgrade() -> None:
    """Add the tables of listings and of files; no stage has a directory table yet."""
    op.create_table(
        "icemelt_listings",
        sa.Column("owner_id", sa.String(length=36), nullable=False),
        sa.Column("commit_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.Column("user", sa.String(length=255), nullable=False),
        sa.Column("statement_id", sa.String(length=36), nullable=True),
        sa.Column("transaction_id", sa.String(length=36), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.Column("removed", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["icemelt_objects.object_id"], name="fk_icemelt_listings_owner_id"
        ),
        sa.PrimaryKeyConstraint("owner_id", "commit_number", name="pk_icemelt_listings"),
    )
    op.create_table(
        "icemelt_listed_files",
        sa.Column("owner_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.String(length=2048), nullable=False),
        sa.Column("since_commit", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("until_commit", sa.BigInteger(), nullable=True),
        sa.Column("added_in", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("modified_at", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["icemelt_objects.object_id"], name="fk_icemelt_listed_files_owner_id"
        ),
        sa.PrimaryKeyConstraint("owner_id", "path", "since_commit", name="pk_icemelt_listed_files"),
    )
    for column in ("since_commit", "until_commit"):
        op.create_index(
            f"ix_icemelt_listed_files_{column}", "icemelt_listed_files", ["owner_id", column]
        )
    for column in ("commit_number", "committed_at"):
        op.create_index(f"ix_icemelt_listings_{column}", "icemelt_listings", [column])
    connection = op.get_bind()
    stages = sa.select(_DEFINITIONS).join(
        _OBJECTS,
        sa.and_(_OBJECTS.c.object_id == _DEFINITIONS.c.object_id, _OBJECTS.c.kind == "stage"),
    )
    for row in connection.execute(stages).all():
        definition = {
            **row.definition,
            "has_directory": False,
            "refreshes_itself": False,
            "refresh_within": None,
        }
        connection.execute(
            _DEFINITIONS.update()
            .where(_DEFINITIONS.c.object_id == row.object_id)
            .values(definition=definition)
        )
