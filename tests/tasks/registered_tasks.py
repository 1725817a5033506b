"""Tasks in a registry, made and altered by publications, without Spark."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.edits import CommitRequest, DropObject, Edit, MakeDefined, RedefineObject
from icemelt.catalog.model import objects, task_runs
from icemelt.catalog.publishing import Outcome, Published, publish
from icemelt.catalog.queries.definitions import defined_by_id
from icemelt.catalog.task_edits import RequireTasks, TaskPlace
from icemelt.catalog.task_records import TaskRecord
from icemelt.catalog.task_runs import apply_task_event, read_root_state
from icemelt.catalog.task_states import take_root
from icemelt.names import QualifiedName
from icemelt.tasks.events import Decision, Event
from icemelt.tasks.records import RootState


@dataclass
class RegisteredTasks:
    """The tasks of main.public; `now` is the time that events are applied at."""

    database: Database
    now: int
    ids: dict[str, str] = field(default_factory=dict)

    def publish(self, *edits: Edit) -> Outcome:
        commit = CommitRequest(str(uuid.uuid4()), "session", "ann", edits)
        return publish(self.database, commit)

    @property
    def schema_id(self) -> str:
        is_public = objects.c.kind == "schema", objects.c.name == "public"
        with self.database.read() as connection:
            return str(connection.scalar(sa.select(objects.c.object_id).where(*is_public)))

    @property
    def database_id(self) -> str:
        with self.database.read() as connection:
            is_main = objects.c.kind == "database"
            return str(connection.scalar(sa.select(objects.c.object_id).where(is_main)))

    @property
    def requirement(self) -> RequireTasks:
        """The edit with which statements begin that alter tasks."""
        tasks = [self.task(name) for name in self.ids]
        places = {
            task.object_id: TaskPlace(task.name.name, task.after, task.finalizes) for task in tasks
        }
        return RequireTasks(self.schema_id, places)

    def make(self, name: str, *after: str, **definition: Any) -> MakeDefined:
        """Return the edit that makes a task, started where the definition does not say."""
        self.ids[name] = str(uuid.uuid4())
        options = definition.pop("options", {})
        values = {"is_started": True, **definition}
        place = QualifiedName("main", "public", name)
        task = TaskRecord(
            self.ids[name], place, "ann", None, 0, "SELECT 1", options, after, **values
        )
        return MakeDefined(task.object_id, self.schema_id, task.kind, name, task.definition)

    def create(self, name: str, *after: str, **definition: Any) -> str:
        assert isinstance(self.publish(self.make(name, *after, **definition)), Published)
        return self.ids[name]

    def alteration(self, name: str, **changes: Any) -> RedefineObject:
        task = self.task(name)
        after = replace(task, **changes)
        return RedefineObject(task.object_id, task.definition, after.definition)

    def alter(self, name: str, **changes: Any) -> None:
        assert isinstance(self.publish(self.alteration(name, **changes)), Published)

    def drop(self, *names: str) -> None:
        drops = [DropObject(self.ids.pop(name)) for name in names]
        assert isinstance(self.publish(*drops), Published)

    def task(self, name: str) -> TaskRecord:
        with self.database.read() as connection:
            task = defined_by_id(connection, self.ids[name])
        assert isinstance(task, TaskRecord)
        return task

    def apply(self, name: str, event: Event, *, milliseconds: int = 0) -> tuple[Decision, ...]:
        self.now += milliseconds
        with self.database.write_unordered() as connection:
            return apply_task_event(connection, lambda _: self.now, self.ids[name], event)

    def state(self, name: str) -> RootState:
        with self.database.read() as connection:
            state = read_root_state(connection, self.ids[name])
        assert state is not None
        return state

    def seen_at(self, name: str) -> int:
        with self.database.write_unordered() as connection:
            row = take_root(connection, self.ids[name])
        assert row is not None
        return row.seen_at

    def rows(self, root_id: str) -> list[Mapping[str, Any]]:
        """Return the history of a root, live or gone, in the order of runs."""
        query = sa.select(task_runs).where(task_runs.c.root_id == root_id)
        ordered = query.order_by(task_runs.c.run_id, task_runs.c.attempt, task_runs.c.task)
        with self.database.read() as connection:
            return [row._mapping for row in connection.execute(ordered)]

    def states(self, root_id: str) -> list[tuple[int, str, int, str]]:
        return [
            (row["run_id"], row["task"], row["attempt"], row["state"]) for row in self.rows(root_id)
        ]
