"""When a cron schedule is due, found by walking every minute: slow, and nothing to get wrong.

A clock on a wall of the zone is watched minute by minute. A time of the schedule is due when the
clock comes to it, or jumps over it, for the first time: so an hour that happens twice counts once,
and a time that is left out is due at the jump.
"""

from __future__ import annotations

import bisect
import calendar
import functools
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

__all__ = ["WallClock", "cron_times"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the wall clock's
_MINUTE = timedelta(minutes=1)
# clocks are set at whole quarters of an hour
_QUARTER = 15
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]


class WallClock:
    """The due times of a cron schedule after a day, found as far as somebody asks."""

    def __init__(self, expression: str, zone: str, begin: datetime) -> None:
        """Set the clock.

        Args:
            expression: the five fields.
            zone: the name of the time zone.
            begin: the day, in UTC, from which on times are found.
        """
        minute, hour, self._month_days, month, self._week_days = expression.upper().split()
        self._minutes = _values(minute, 0, 59)
        self._hours = _values(hour, 0, 23)
        self._months = _values(month, 1, 12, _MONTHS)
        self._zone = ZoneInfo(zone)
        # the minutes of Unix time up to which the schedule is known; a day before is watched, too
        self._until = (begin - timedelta(days=1) - _EPOCH) // _MINUTE - 1
        self._latest_seen = self._clock(self._until)
        self._times: list[int] = []

    def times(self, after: int, until: int) -> list[int]:
        """Return the due times later than one moment and not than another, in milliseconds."""
        while self._until * 60_000 <= until:
            self._watch_a_quarter()
        first, last = (bisect.bisect_right(self._times, moment) for moment in (after, until))
        return self._times[first:last]

    def next(self, after: int) -> int:
        """Return the first due time after a moment, in milliseconds since 1970."""
        end = after + 86_400_000
        while not (found := self.times(after, end)):
            end += 30 * 86_400_000
        return found[0]

    def _clock(self, minute: int) -> int:
        """Return the minutes that the clock on the wall shows, counted as if it were in UTC."""
        shown = (_EPOCH + minute * _MINUTE).astimezone(self._zone).replace(tzinfo=None)
        return (shown - _NAIVE_EPOCH) // _MINUTE

    def _watch_a_quarter(self) -> None:
        start = self._until + 1
        shown = self._clock(start)
        for minute in range(start, start + _QUARTER):
            now_shown = shown + minute - start
            if any(self._matches(at) for at in range(self._latest_seen + 1, now_shown + 1)):
                self._times.append(minute * 60_000)
            self._latest_seen = max(self._latest_seen, now_shown)
        self._until = start + _QUARTER - 1

    def _matches(self, shown: int) -> bool:
        day, minute = divmod(shown, 1_440)
        if minute % 60 not in self._minutes or minute // 60 not in self._hours:
            return False
        return self._is_day(date(1970, 1, 1) + timedelta(days=day))

    @functools.cache  # noqa: B019 - clocks last as long as the program
    def _is_day(self, day: date) -> bool:
        if day.month not in self._months:
            return False
        of_month = _is_day_of_month(self._month_days, day)
        of_week = _is_day_of_week(self._week_days, day)
        if self._month_days == "*" or self._week_days == "*":
            return of_month and of_week
        return of_month or of_week


def cron_times(expression: str, zone: str, begin: datetime) -> WallClock:
    """Return the clock of a schedule, the same one for equal schedules."""
    return _clock_of(expression, zone, begin)


@functools.cache
def _clock_of(expression: str, zone: str, begin: datetime) -> WallClock:
    return WallClock(expression, zone, begin)


def _values(field: str, first: int, last: int, names: list[str] | None = None) -> set[int]:
    found = set()
    for term in field.split(","):
        values, _, step = term.partition("/")
        low, dash, high = values.partition("-")
        if low == "*":
            bounds = first, last
        else:
            start = _number(low, first, names)
            bounds = start, _number(high, first, names) if dash else (last if step else start)
        found |= set(range(bounds[0], bounds[1] + 1, int(step or 1)))
    return found


def _number(text: str, first: int, names: list[str] | None) -> int:
    return names.index(text) + first if names and text in names else int(text)


def _is_day_of_month(field: str, day: date) -> bool:
    if field == "L":
        return day.day == calendar.monthrange(day.year, day.month)[1]
    return day.day in _values(field, 1, 31)


def _is_day_of_week(field: str, day: date) -> bool:
    of_week = day.isoweekday() % 7
    if field.endswith("L"):
        return of_week == int(field[:-1]) % 7 and (day + timedelta(days=7)).month != day.month
    return of_week in _values(field, 0, 6, _DAYS)
