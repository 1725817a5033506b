"""File formats as objects: the type of files, and the options."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of file formats."""
    op.create_table(
        "icemelt_file_formats",
        sa.Column("format_id", sa.String(length=36), nullable=False),
        sa.Column("file_type", sa.String(length=16), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["format_id"],
            ["icemelt_objects.object_id"],
            name="fk_icemelt_file_formats_format_id",
        ),
        sa.PrimaryKeyConstraint("format_id", name="pk_icemelt_file_formats"),
    )
