"""The root tasks whose graphs fail in the turns of a scheduler; each is left alone for a while.

A graph that cannot be read, or whose next time cannot be told, fails in each turn: a machine lacks
its time zone, or its document is damaged. The turn goes on with the other roots.

    failures in a row    1    2    3    …    7 and more
    pause in seconds     1    2    4    …    60
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

from icemelt.errors import CatalogError, IcemeltError, InternalError
from icemelt.observe.emitting import emit
from icemelt.observe.events import TaskGraphFailed

__all__ = ["RootFailures"]

_LOGGER = logging.getLogger("icemelt.tasks")
_FIRST_PAUSE, _LONGEST_PAUSE = 1_000, 60_000
# 2 to the power of more is longer than the longest pause
_MOST_DOUBLINGS = 6


@dataclass(frozen=True, slots=True)
class _Failure:
    """The last failure of an action for a root, with times in milliseconds since 1970."""

    message: str
    count: int
    failed_at: int
    pause: int

    def is_over(self, now: int) -> bool:
        """Tell whether the root may be tried again; a clock that was set back is no reason not."""
        return not self.failed_at <= now < self.failed_at + self.pause


@dataclass(slots=True)
class RootFailures:
    """Keeps what has failed, by the object id of the root and the action.

    >>> failures = RootFailures()
    >>> with failures.of("id", "pass time", 0):
    ...     raise IcemeltError("Its time zone is not known.", hint="ALTER TASK …")
    >>> failures.find_left_alone(999), failures.find_left_alone(1_000)
    ({'id'}, set())
    """

    _failures: dict[tuple[str, str], _Failure] = field(default_factory=dict)

    def find_left_alone(self, now: int) -> set[str]:
        """Return the object ids of the roots that are left alone at a time.

        Args:
            now: the database's time, in milliseconds since 1970.
        """
        return {root for (root, _), last in self._failures.items() if not last.is_over(now)}

    @contextlib.contextmanager
    def of(self, root_id: str, action: str, now: int) -> Iterator[None]:
        """Leave a block at an error that is the root's own; errors of the catalog are everyone's.

        An error is told once, and not again while the same action fails for the same reason.

        Args:
            root_id: the object id of the root.
            action: what the block does for the root, such as "pass time".
            now: the database's time, in milliseconds since 1970.

        Raises:
            CatalogError: the database does not answer.
        """
        try:
            yield
        except CatalogError:
            raise
        except IcemeltError as error:
            self._note((root_id, action), now, error.code, error.message)
        except Exception as error:
            # a document that nobody has foreseen stops the tasks of its own root alone
            if self._note((root_id, action), now, InternalError.code, repr(error)):
                _LOGGER.exception("Cannot %s for the graph of root task %s.", action, root_id)
        else:
            self._failures.pop((root_id, action), None)

    def _note(self, key: tuple[str, str], now: int, code: str, message: str) -> bool:
        """Note a failure, and tell of it where it is new; return whether it is."""
        last = self._failures.get(key)
        is_new = last is None or last.message != message
        count = 1 if last is None or is_new else last.count + 1
        pause = min(_FIRST_PAUSE << min(count - 1, _MOST_DOUBLINGS), _LONGEST_PAUSE)
        self._failures[key] = _Failure(message, count, now, pause)
        if is_new:
            emit(TaskGraphFailed(*key, code, message))
        return is_new
