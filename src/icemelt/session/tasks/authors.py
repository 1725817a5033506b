"""The client of a server who wrote the body of a task: the body ends with the client's key."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from icemelt.catalog.database import Database
from icemelt.catalog.keys import find_key_of_client
from icemelt.catalog.task_records import TaskRecord
from icemelt.jobs import UNTIL_WOKEN, Job
from icemelt.sql.dialect.written_names import full_name
from icemelt.tasks.errors import KeyRevoked

__all__ = ["find_revocation", "watching_author"]

# as often as a server looks whether the keys of its statements were revoked
_LOOK_SECONDS = 1.0


def find_revocation(database: Database, task: TaskRecord) -> KeyRevoked | None:
    """Return the error of a task whose author's key was revoked, None where the body may run.

    A client with a newer key of the same name is the same client. A name without any key is that of
    a server without keys.

    Args:
        database: the catalog's database.
        task: the task.
    """
    author = task.client
    if author is None:
        return None
    with database.read() as connection:
        key = find_key_of_client(connection, author)
    if key is None or key.revoked_at is None:
        return None
    hint = f"ALTER TASK {full_name(task.name)} MODIFY AS …, by who runs the server."
    return KeyRevoked(
        f"The body of task {str(task.name)!r} does not run: the key of client {author!r}, who "
        "wrote it, is revoked. Who runs the server takes the task over by MODIFY AS, or drops it.",
        hint=hint,
    )


@contextlib.contextmanager
def watching_author(
    database: Database, task: TaskRecord, on_revoked: Callable[[KeyRevoked], object]
) -> Iterator[None]:
    """Look once a second within a block whether the key of a task's author was revoked.

    Args:
        database: the catalog's database.
        task: the task whose body runs in the block.
        on_revoked: called once, from another thread, with the error.
    """
    if task.client is None:
        yield
        return

    def look() -> float | None:
        error = find_revocation(database, task)
        if error is None:
            return None
        on_revoked(error)
        return UNTIL_WOKEN

    job = Job(
        "icemelt-author",
        look,
        every=_LOOK_SECONDS,
        delay=_LOOK_SECONDS,
        consequence="the body of a task runs until the next look, also of a revoked key",
        longest_pause=_LOOK_SECONDS,
    ).start()
    try:
        yield
    finally:
        job.end()
