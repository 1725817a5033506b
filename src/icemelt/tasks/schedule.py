"""Schedules of tasks: an interval that counts from RESUME, or cron in a time zone of its own.

The syntax is that of SCHEDULE in Snowflake's CREATE TASK. A day matches a cron schedule if its day
of month *or* its day of week matches, where both fields are given (are not `*`).

What daylight saving time does to a cron schedule is decided here, not by the library that walks the
calendar (docs/adr/0027-cron-by-cronsim.md). A schedule is a set of *wall-clock times*. Each is one
moment:

====================================  =======================  ==================================
wall-clock time, in Europe/Berlin     on the clock             moment of the run
====================================  =======================  ==================================
2025-03-29 02:30                      once                     2025-03-29 02:30 +01:00
2025-03-30 02:30 (clocks go forward)  never: 02:00 is 03:00    2025-03-30 03:00 +02:00, the jump
2025-10-26 02:30 (clocks go back)     twice                    2025-10-26 02:30 +02:00, the first
====================================  =======================  ==================================

Several wall-clock times that have one moment are one run: `*/20 2 * * *` runs once on 2025-03-30.
"""

from __future__ import annotations

import functools
import re
import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cronsim import CronSim, CronSimError

from icemelt.errors import DefinitionRefused
from icemelt.names import find_nearest

__all__ = [
    "CronSchedule",
    "IntervalSchedule",
    "Schedule",
    "latest_time",
    "next_time",
    "parse_schedule",
]

SHORTEST_INTERVAL = timedelta(seconds=10)
LONGEST_INTERVAL = timedelta(days=8)

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
# a wall-clock time, where the library asks for one and it does not matter which
_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001

_INTERVAL = re.compile(r"(\d{1,9})\s*(hours?|h|minutes?|m|seconds?|s)", re.ASCII | re.IGNORECASE)
_SECONDS = {"h": 3_600, "m": 60, "s": 1}
_INTERVAL_HINT = "Write SCHEDULE = '10 MINUTES', or SCHEDULE = 'USING CRON 0 6 * * * Europe/Berlin'"

_CRON = re.compile(r"using\s+cron\b(.*)", re.IGNORECASE | re.DOTALL)
_CRON_FIELD = re.compile(r"[\d*/,-]+")
# five fields and a time zone
_CRON_WORDS = 6
_CRON_HINT = (
    "Write minute, hour, day of month, month, day of week and a time zone: "
    "SCHEDULE = 'USING CRON 0 6 * * MON-FRI Europe/Berlin'"
)


@dataclass(frozen=True, slots=True)
class IntervalSchedule:
    """A schedule that runs again and again after the same time, counted from RESUME."""

    length: timedelta

    def __post_init__(self) -> None:
        if not SHORTEST_INTERVAL <= self.length <= LONGEST_INTERVAL:
            bound = "10 SECONDS" if self.length < SHORTEST_INTERVAL else "192 HOURS"
            raise DefinitionRefused(
                "The interval of a schedule is between 10 seconds and 8 days, "
                f"found {self.length.total_seconds():,.0f} s.",
                hint=f"Write SCHEDULE = '{bound}', or a cron expression for times further apart.",
            )


@dataclass(frozen=True, slots=True)
class CronSchedule:
    """A schedule of wall-clock times in a time zone.

    `expression` has the five fields minute, hour, day of month, month and day of week, `zone` is
    the name of a time zone of the IANA database.
    """

    expression: str
    zone: str

    def __post_init__(self) -> None:
        _read_zone(self.zone)
        try:
            CronSim(_plain_expression(self.expression), _EPOCH)
        except CronSimError as error:
            raise _refuse_fields(self.expression) from error


Schedule = IntervalSchedule | CronSchedule


def parse_schedule(text: str) -> Schedule:
    """Return the schedule that the text of SCHEDULE means.

    >>> parse_schedule("5 MINUTES")
    IntervalSchedule(length=datetime.timedelta(seconds=300))
    >>> parse_schedule("10 s") == parse_schedule("10 SECONDS")
    True
    >>> parse_schedule("USING CRON 0 9-17 * * MON-FRI America/Los_Angeles")
    CronSchedule(expression='0 9-17 * * MON-FRI', zone='America/Los_Angeles')

    Raises:
        DefinitionRefused: The text is no schedule, its interval is shorter than 10 seconds or
            longer than 8 days, or its cron expression never matches.
    """
    text = text.strip()
    if cron := _CRON.fullmatch(text):
        return _parse_cron(cron[1])
    if interval := _INTERVAL.fullmatch(text):
        seconds = int(interval[1]) * _SECONDS[interval[2][0].lower()]
        return IntervalSchedule(timedelta(seconds=seconds))
    raise DefinitionRefused(
        f"The schedule {_shorten(text)!r} is neither a number of hours, minutes or seconds nor "
        "USING CRON.",
        hint=_guess_cron(text) or _INTERVAL_HINT,
    )


def next_time(schedule: Schedule, after: datetime, anchor: datetime) -> datetime | None:
    """Return the first moment of a schedule that is later than another moment, in UTC.

    The interval of an `IntervalSchedule` counts from the anchor, whose own moment is not one of the
    schedule: ten minutes after RESUME is the first run.

    >>> resumed = datetime(2025, 1, 1, 9, 3, tzinfo=UTC)
    >>> next_time(parse_schedule("10 MINUTES"), resumed, resumed).isoformat()
    '2025-01-01T09:13:00+00:00'
    >>> last_friday = parse_schedule("USING CRON 30 2 * * 5L Europe/Berlin")
    >>> next_time(last_friday, resumed, resumed).isoformat()
    '2025-01-31T01:30:00+00:00'

    Args:
        schedule: The schedule of a root task.
        after: The moment before the moment that is asked for, with a time zone.
        anchor: The moment of RESUME, with a time zone.

    Returns:
        The moment in UTC; None where the schedule has no more before the year 9999.
    """
    if isinstance(schedule, IntervalSchedule):
        return _next_interval(schedule.length, after.astimezone(UTC), anchor.astimezone(UTC))
    return _next_wall_time(schedule, after.astimezone(UTC))


def latest_time(
    schedule: Schedule, after: datetime, until: datetime, anchor: datetime
) -> datetime | None:
    """Return the last moment of a schedule that is later than one moment and not than another.

    However many moments are between the two, few are computed: after a year without a scheduler a
    schedule of each minute has 525,600.

    >>> resumed = datetime(2025, 1, 1, 9, 3, tzinfo=UTC)
    >>> hourly = parse_schedule("USING CRON 0 * * * * UTC")
    >>> latest_time(hourly, resumed, datetime(2026, 1, 1, 12, 30, tzinfo=UTC), resumed).isoformat()
    '2026-01-01T12:00:00+00:00'

    Args:
        schedule: The schedule of a root task.
        after: The moment that the answer is later than, with a time zone.
        until: The latest moment that the answer may be, with a time zone.
        anchor: The moment of RESUME, with a time zone.

    Returns:
        The moment in UTC; None where the schedule has none between the two.
    """
    latest = next_time(schedule, after, anchor)
    if latest is None or latest > until:
        return None
    end = until
    while (following := next_time(schedule, latest, anchor)) is not None and following <= until:
        middle = following + (end - following) / 2
        beyond = next_time(schedule, middle, anchor)
        if beyond is None or beyond > until:
            latest, end = following, middle
        else:
            latest = beyond
    return latest


def _next_interval(length: timedelta, after: datetime, anchor: datetime) -> datetime | None:
    count = max((after - anchor) // length + 1, 1)
    try:
        return anchor + count * length
    except OverflowError:
        return None


# ------------------------------------------------------------------------------------------- cron


# a scheduler asks again and again for the time after the last one
@functools.lru_cache(maxsize=10_000)
def _next_wall_time(schedule: CronSchedule, after: datetime) -> datetime | None:
    """Return the moment of the first wall-clock time of a cron schedule after a moment.

    Moments never fall where wall-clock times rise, so the first wall-clock time with a later moment
    is the one. All before the clock of `after` have an earlier moment; those between the two
    occurrences of an hour that happens twice are later on the clock, and have an earlier moment,
    too: the loop passes them.
    """
    zone = _read_zone(schedule.zone)
    try:
        clock = after.astimezone(zone).replace(tzinfo=None)
        for wall_time in CronSim(_plain_expression(schedule.expression), clock):
            moment = _moment_of(wall_time, zone)
            if moment > after:
                return moment
    except OverflowError:
        pass
    return None


def _moment_of(wall_time: datetime, zone: zoneinfo.ZoneInfo) -> datetime:
    """Return the moment of a wall-clock time: the first of two, the jump where there is none.

    By PEP 495 a time that does not exist has two readings: by the offset before the jump
    (fold=0), which is a moment after the jump, and by the offset after the jump, which is a moment
    before the jump.
    """
    moment = wall_time.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == wall_time:
        return moment
    before = wall_time.replace(tzinfo=zone, fold=1).astimezone(UTC)
    after = moment
    new_offset = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        if middle.astimezone(zone).utcoffset() == new_offset:
            after = middle
        else:
            before = middle
    return after


def _guess_cron(text: str) -> str | None:
    """Return the hint for a cron expression that lacks its first words; None for other texts."""
    words = text.split()
    if len(words) < 2 or not all(map(_CRON_FIELD.fullmatch, words[:2])):  # noqa: PLR2004
        return None
    if len(words) == _CRON_WORDS:
        return f"Write SCHEDULE = 'USING CRON {text}'"
    if len(words) == _CRON_WORDS - 1:
        return f"Write SCHEDULE = 'USING CRON {text} UTC', or another time zone."
    return _CRON_HINT


def _parse_cron(text: str) -> CronSchedule:
    words = text.split()
    if len(words) != _CRON_WORDS:
        raise DefinitionRefused(
            f"A cron schedule has five fields and a time zone, found {len(words)} words in "
            f"{_shorten(text.strip())!r}.",
            hint=_CRON_HINT,
        )
    return CronSchedule(" ".join(words[:5]), words[5])


def _read_zone(zone: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        nearest = find_nearest(zone, zoneinfo.available_timezones()) or "Europe/Berlin"
        raise DefinitionRefused(
            f"Time zone {_shorten(zone)!r} of the schedule is not known.",
            hint=f"Write SCHEDULE = 'USING CRON 0 6 * * * {nearest}'",
        ) from error


# ------------------------------------------------------------------------- fields of an expression


@dataclass(frozen=True, slots=True)
class _Field:
    """One of the five fields of a cron expression: what may be written, and how it is said.

    `names` are the names of the values, from `first` on. `special` is a regular expression of terms
    that only this field has.
    """

    title: str
    first: int
    last: int
    accepted: str
    example: str
    names: tuple[str, ...] = ()
    special: str = "(?!)"
    is_day: bool = False

    def refuse(self, text: str) -> DefinitionRefused:
        return DefinitionRefused(
            f"The {self.title} of a cron schedule is {self.accepted}, found {_shorten(text)!r}.",
            hint=f"Write * for all, a value, a range, a list or a step, as in {self.example}.",
        )

    def plain(self, text: str) -> str:
        """Return the field as the library reads it as icemelt means it.

        - A step over all days is a range: the library takes a field that *begins* with `*` for one
          that is not given.
        - A step from one day of the week ends with Saturday: the library has a day 7.
        - A range of one value is the value: the library takes a step from it for an open one.
        """
        terms = text.upper().split(",")
        return "*" if "*" in terms else ",".join(self._plain_term(term) for term in terms)

    def _plain_term(self, term: str) -> str:
        if re.fullmatch(self.special, term):
            return term
        value = "|".join((r"\d{1,2}", *self.names))
        found = re.fullmatch(rf"(?:\*|({value})(?:-({value}))?)(?:/(\d{{1,2}}))?", term, re.ASCII)
        if found is None:
            raise self.refuse(term)
        start, end, step = found.groups()
        if self.is_day and step is not None and end is None:
            start, end = start or str(self.first), str(self.last)
            term = f"{start}-{end}/{step}"
        if end is not None and self._number(start) == self._number(end) and step != "0":
            return str(start)
        return term

    def _number(self, value: str) -> int:
        return self.names.index(value) + self.first if value in self.names else int(value)


_FIELDS = (
    _Field("minute", 0, 59, accepted="0 to 59", example="0, 10-20, 0,30 or */15"),
    _Field("hour", 0, 23, accepted="0 to 23", example="6, 9-17, 6,18 or */2"),
    _Field(
        "day of month",
        1,
        31,
        accepted="1 to 31, or L for the last",
        example="1, 1-7, 1,15, L or */10",
        special="L",
        is_day=True,
    ),
    _Field(
        "month",
        1,
        12,
        accepted="1 to 12, or JAN to DEC",
        example="4, JAN-MAR, 6,12 or 4/3",
        names=_MONTHS,
    ),
    _Field(
        "day of week",
        0,
        6,
        accepted="0 to 6, or SUN to SAT, or 5L for the last Friday of the month",
        example="MON-FRI, 0,6 or 5L",
        names=_DAYS,
        special="[0-7]L",
        is_day=True,
    ),
)


@functools.lru_cache(maxsize=1_000)
def _plain_expression(expression: str) -> str:
    """Return a cron expression as the library reads it as icemelt means it.

    >>> _plain_expression("0 0 */10 jan-mar 5/1")
    '0 0 1-31/10 JAN-MAR 5-6/1'
    """
    texts = expression.split()
    return " ".join(field.plain(text) for field, text in zip(_FIELDS, texts, strict=True))


def _refuse_fields(expression: str) -> DefinitionRefused:
    """Say which field the library refuses, or that no day matches all fields."""
    for place, (field, text) in enumerate(zip(_FIELDS, expression.split(), strict=True)):
        fields = ["*"] * len(_FIELDS)
        fields[place] = field.plain(text)
        try:
            CronSim(" ".join(fields), _EPOCH)
        except CronSimError:
            return field.refuse(text)
    return DefinitionRefused(
        f"No month of the cron schedule {_shorten(expression)!r} has its day.",
        hint="Write a day that the months have, or L for the last day of a month.",
    )


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 - a line
