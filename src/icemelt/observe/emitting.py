"""Emit events, and subscribe to events: process-wide, like Python's logging."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from icemelt.errors import CatalogError, IcemeltError
from icemelt.observe.events import CatalogErrorTolerated, ErrorTolerated, Event
from icemelt.observe.logs import log_event

__all__ = ["Subscriber", "emit", "is_wanted", "subscribe", "tolerate"]

Subscriber = Callable[[Event], None]

_LOGGER = logging.getLogger("icemelt.observe")
# failures of one subscriber are logged this often, and not at every event
_LOG_SECONDS = 10.0


class _Subscribers:
    """The subscribers of events, by kind.

    A change replaces the tuple and the mapping, and never modifies them. Readers need no lock.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscribers: tuple[tuple[Subscriber, tuple[type[Event], ...]], ...] = ()
        self._by_kind: dict[type[Event], tuple[Subscriber, ...]] = {}
        self._logged_at: dict[Subscriber, float] = {}

    def add(self, subscriber: Subscriber, kinds: tuple[type[Event], ...]) -> Callable[[], None]:
        entry = (subscriber, kinds)
        with self._lock:
            self._subscribers, self._by_kind = (*self._subscribers, entry), {}

        def remove() -> None:
            with self._lock:
                kept = tuple(other for other in self._subscribers if other is not entry)
                self._subscribers, self._by_kind = kept, {}

        return remove

    def of(self, kind: type[Event]) -> tuple[Subscriber, ...]:
        """Return the subscribers of a kind of events."""
        subscribers = self._by_kind.get(kind)
        if subscribers is not None:
            return subscribers
        with self._lock:
            subscribers = tuple(
                subscriber
                for subscriber, kinds in self._subscribers
                if not kinds or issubclass(kind, kinds)
            )
            self._by_kind[kind] = subscribers
        return subscribers

    def note_failure(self, subscriber: Subscriber, event: Event, error: Exception) -> None:
        """Log the failure of a subscriber, at most once in some seconds for every subscriber.

        Args:
            subscriber: the function that failed.
            event: the event passed to the function.
            error: the error raised.
        """
        now = time.monotonic()
        with self._lock:
            is_logged = now - self._logged_at.get(subscriber, float("-inf")) < _LOG_SECONDS
            if not is_logged:
                self._logged_at[subscriber] = now
        if not is_logged:
            text = "A subscriber failed on %s: %r"
            _LOGGER.error(text, type(event).__name__, subscriber, exc_info=error)


_SUBSCRIBERS = _Subscribers()
_SUBSCRIBERS.add(log_event, ())


def subscribe(subscriber: Subscriber, *kinds: type[Event]) -> Callable[[], None]:
    """Call a function with every event of some kinds; return the function to unsubscribe.

    The subscriber is called in the thread of the event, which waits for the call. The subscriber
    has to be quick, and safe in many threads. An error of the subscriber is logged, and goes no
    further.

    Args:
        subscriber: takes an event.
        kinds: the classes of the events; all events where no class is given.

    >>> from icemelt.observe.events import TableRebased
    >>> taken = []
    >>> unsubscribe = subscribe(taken.append, TableRebased)
    >>> emit(TableRebased("4f", "main.public.t", 0.1))
    >>> unsubscribe()
    >>> [event.table for event in taken]
    ['main.public.t']
    """
    return _SUBSCRIBERS.add(subscriber, kinds)


def emit(event: Event) -> None:
    """Pass an event to its subscribers, first to the log."""
    for subscriber in _SUBSCRIBERS.of(type(event)):
        try:
            subscriber(event)
        except Exception as error:  # noqa: BLE001 - whatever it is, no publication fails for it
            _SUBSCRIBERS.note_failure(subscriber, event, error)


def is_wanted(kind: type[Event]) -> bool:
    """Return whether a kind of costly events has a subscriber besides a log switched off.

    >>> from icemelt.observe.events import SparkJobRan
    >>> is_wanted(SparkJobRan)
    False
    """
    if logging.getLogger(f"icemelt.{kind.room}").isEnabledFor(logging.DEBUG):
        return True
    return any(subscriber is not log_event for subscriber in _SUBSCRIBERS.of(kind))


@dataclass(frozen=True, slots=True)
class _Tolerating:
    kinds: tuple[type[IcemeltError], ...]
    action: str
    is_usual: bool

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> bool:
        if not isinstance(error, self.kinds):
            return False
        event = CatalogErrorTolerated if isinstance(error, CatalogError) else ErrorTolerated
        emit(event(self.action, error.code, error.message, is_usual=self.is_usual))
        return True


def tolerate(*kinds: type[IcemeltError], to: str, is_usual: bool = False) -> _Tolerating:
    """Leave the block at an error without effect on the request, and emit an event with the error.

    Args:
        kinds: the classes of the errors; other errors are raised.
        to: the action of the block, such as "release a reservation".
        is_usual: whether the error needs nobody's attention, and has the level DEBUG in the log.

    >>> from icemelt.errors import CatalogUnavailable
    >>> with tolerate(CatalogUnavailable, to="release a reservation", is_usual=True):
    ...     raise CatalogUnavailable("The catalog's database cannot be used.", hint="")
    """
    return _Tolerating(kinds, to, is_usual)
