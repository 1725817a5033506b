"""Tasks run: the states of their graphs, the history of their runs, and who looks for runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of runs; the graphs of the tasks that there are follow the migrations."""
    _add_graphs()
    _add_runs()
    op.create_table(
        "icemelt_schedulers",
        sa.Column("scheduler_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("process_id", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("life", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scheduler_id", name="pk_icemelt_schedulers"),
    )


def _add_graphs() -> None:
    op.create_table(
        "icemelt_task_graphs",
        sa.Column("root_id", sa.String(length=36), nullable=False),
        sa.Column("schema_id", sa.String(length=36), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("next_wake", sa.BigInteger(), nullable=True),
        sa.Column("next_scheduled_at", sa.BigInteger(), nullable=True),
        sa.Column("wants_look", sa.Boolean(), nullable=False),
        sa.Column("queued_run_id", sa.BigInteger(), nullable=True),
        sa.Column("graph_version", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], ["icemelt_objects.object_id"], name=f"fk_icemelt_task_graphs_{column}"
            )
            for column in ("root_id", "schema_id")
        ),
        sa.PrimaryKeyConstraint("root_id", name="pk_icemelt_task_graphs"),
    )
    for column in ("schema_id", "next_wake"):
        op.create_index(f"ix_icemelt_task_graphs_{column}", "icemelt_task_graphs", [column])
    op.create_table(
        "icemelt_task_graph_versions",
        sa.Column("root_id", sa.String(length=36), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("tasks", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["root_id"],
            ["icemelt_objects.object_id"],
            name="fk_icemelt_task_graph_versions_root_id",
        ),
        sa.PrimaryKeyConstraint("root_id", "number", name="pk_icemelt_task_graph_versions"),
    )


def _add_runs() -> None:
    op.create_table(
        "icemelt_task_runs",
        sa.Column("root_id", sa.String(length=36), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("task", sa.String(length=255), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.String(length=36), nullable=False),
        sa.Column("folded", sa.String(length=1024), nullable=False),
        sa.Column("root_name", sa.String(length=255), nullable=False),
        sa.Column("folded_root", sa.String(length=1024), nullable=False),
        sa.Column("database_name", sa.String(length=255), nullable=False),
        sa.Column("schema_name", sa.String(length=255), nullable=False),
        sa.Column("graph_version", sa.BigInteger(), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("run_scheduled_at", sa.BigInteger(), nullable=False),
        sa.Column("scheduled_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("completed_at", sa.BigInteger(), nullable=True),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("token", sa.BigInteger(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("return_value", sa.Text(), nullable=True),
        sa.Column("query_id", sa.String(length=36), nullable=True),
        sa.Column("query_text", sa.Text(), nullable=False),
        sa.Column("condition_text", sa.Text(), nullable=True),
        sa.Column("config", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint(
            "root_id", "run_id", "task", "attempt", name="pk_icemelt_task_runs"
        ),
    )
    for columns in (["folded", "scheduled_at"], ["scheduled_at"], ["completed_at"]):
        name = f"ix_icemelt_task_runs_{'_'.join(columns)}"
        op.create_index(name, "icemelt_task_runs", columns)
    is_open = sa.text("completed_at IS NULL")
    op.create_index(
        "ix_icemelt_task_runs_open",
        "icemelt_task_runs",
        ["root_id", "scheduled_at"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
