"""Which triggered tasks a publication can matter to: those whose streams it can give rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from icemelt.catalog.queries.news import read_news
from icemelt.catalog.queries.tasks import find_triggered_tasks
from icemelt.catalog.records import Moment
from icemelt.errors import ObjectError, SqlError
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.core import Core
from icemelt.session.tasks.conditions import WatchedStream, find_watched_streams

__all__ = ["PublicationWatch"]


@dataclass(slots=True)
class PublicationWatch:
    """Tells which roots have news, each time it is asked.

    A publication of rows costs one look at the commits since the last time. What the streams read
    is looked up again after publications of anything else, as of a statement that makes a stream.

    Attributes:
        core: the parts of the session that executes tasks.
        last: the newest commit that was looked at, None before the first look.
    """

    core: Core
    last: Moment | None = None
    _watched: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def find_news(self) -> set[str]:
        """Return the object ids of the triggered roots whose conditions may be true by now.

        The first look names all: nobody knows what was published before. A look that fails is
        repeated by the next one.
        """
        with self.core.database.read() as connection:
            news = read_news(connection, self.last)
        found = {root for root, ids in self._watched.items() if ids & news.changed_ids}
        if news.has_other:
            watched = dict(self._watch_all())
            found |= {root for root, ids in watched.items() if self._watched.get(root) != ids}
            self._watched = watched
        self.last = news.until
        return found

    def adopt_foreign_commits(self, core: Core) -> None:
        """Adopt what other engines have committed to the tables that streams of conditions read.

        They write through Iceberg's catalog, and tell nobody. A look is one query of the pointers
        of these tables; the next `find_news` has what was adopted.

        Args:
            core: the parts of a session whose Spark lives, where the files are not of this machine.
        """
        watched = frozenset().union(*self._watched.values())
        if watched:
            core.newest.adopt_moved(watched)

    def _watch_all(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield each triggered root, with the ids of what can give rows to its streams."""
        with self.core.database.read() as connection:
            tasks = find_triggered_tasks(connection)
        for task in tasks:
            streams: tuple[WatchedStream, ...] = ()
            # a condition that is none here: the look at it, which the first news are, tells
            with tolerate(SqlError, ObjectError, to="find the streams of a task's condition"):
                streams = find_watched_streams(self.core, task)
            yield task.object_id, frozenset().union(*(each.object_ids for each in streams))
