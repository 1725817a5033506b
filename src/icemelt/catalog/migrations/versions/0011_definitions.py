"""Definitions: what file formats and stages have of their own, one JSON document each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_FILE_FORMATS = sa.table(
    "icemelt_file_formats",
    sa.column("format_id", sa.String),
    sa.column("file_type", sa.String),
    sa.column("options", sa.JSON),
)


def upgrade() -> None:
    """Add the table of definitions, and move the file formats into it."""
    definitions = op.create_table(
        "icemelt_definitions",
        sa.Column("object_id", sa.String(length=36), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["object_id"],
            ["icemelt_objects.object_id"],
            name="fk_icemelt_definitions_object_id",
        ),
        sa.PrimaryKeyConstraint("object_id", name="pk_icemelt_definitions"),
    )
    rows = op.get_bind().execute(sa.select(_FILE_FORMATS)).all()
    op.bulk_insert(
        definitions,
        [
            {
                "object_id": row.format_id,
                "definition": {"file_type": row.file_type, "options": row.options},
            }
            for row in rows
        ],
    )
    op.drop_table("icemelt_file_formats")
