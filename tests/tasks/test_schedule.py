"""Schedules: what may be written, and when they run, beside a clock that is read each minute."""

from __future__ import annotations

import calendar
import functools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from icemelt.errors import DefinitionRefused
from icemelt.tasks.schedule import (
    CronSchedule,
    IntervalSchedule,
    latest_time,
    next_time,
    parse_schedule,
)

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # daylight saving time is half an hour
    "Asia/Kathmandu",  # 5:45 east of UTC
    "Africa/Casablanca",  # the clock goes back for Ramadan
    "America/Santiago",  # the clock jumps over midnight
    "Pacific/Apia",  # 30 December 2011 does not exist
]
_MINUTE = timedelta(minutes=1)


def times(text: str, after: str, count: int = 4) -> list[str]:
    schedule = parse_schedule(text)
    moment: datetime | None = datetime.fromisoformat(after).replace(tzinfo=UTC)
    result = []
    for _ in range(count):
        assert moment is not None
        moment = next_time(schedule, moment, datetime(2020, 1, 1, tzinfo=UTC))
        assert moment is not None
        result.append(f"{moment:%m-%d %H:%M}")
    return result


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10 SECONDS", 10),
        ("10 s", 10),
        ("90second", 90),
        ("1 MINUTE", 60),
        ("10 m", 600),
        ("  60 minutes ", 3_600),
        ("1 h", 3_600),
        ("1 HOUR", 3_600),
        ("192 HOURS", 691_200),
        ("11520 M", 691_200),
    ],
)
def test_an_interval_has_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert parse_schedule(text) == IntervalSchedule(timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "neither a number of hours", "10 MINUTES"),
        ("9 SECONDS", "between 10 seconds and 8 days", "'10 SECONDS'"),
        ("0 MINUTES", "between 10 seconds and 8 days", "'10 SECONDS'"),
        ("193 HOURS", "between 10 seconds and 8 days", "'192 HOURS'"),
        ("999999999 HOURS", "between 10 seconds and 8 days", "'192 HOURS'"),
        ("9999999999 HOURS", "neither a number of hours", "10 MINUTES"),
        ("1 DAY", "neither a number of hours", "10 MINUTES"),
        ("-5 MINUTES", "neither a number of hours", "10 MINUTES"),
        ("1.5 HOURS", "neither a number of hours", "10 MINUTES"),
        ("\u0665 MINUTES", "neither a number of hours", "10 MINUTES"),
        ("CRON 0 0 * * * UTC", "neither a number of hours", "USING CRON"),
        ("USING CRON", "found 0 words", "Europe/Berlin"),
        ("USING CRON 0 0 * * *", "found 5 words", "Europe/Berlin"),
        ("USING CRON 0 0 0 * * * UTC", "found 7 words", "minute, hour, day of month"),
        ("USING CRON 0 0 * * * Europe/Berln", "'Europe/Berln'", "Europe/Berlin"),
        ("USING CRON 0 0 * * * ../etc/passwd", "Time zone", "Europe/Berlin"),
        ("USING CRON 0 0 * * * Europe", "Time zone", "Write SCHEDULE"),
        ("USING CRON 60 0 * * * UTC", "minute of a cron schedule is 0 to 59", "*/15"),
        ("USING CRON */0 0 * * * UTC", "minute of a cron", "*/15"),
        ("USING CRON 20-10 0 * * * UTC", "minute of a cron", "10-20"),
        ("USING CRON 1,,2 0 * * * UTC", "minute of a cron", "0,30"),
        ("USING CRON L 0 * * * UTC", "minute of a cron", "0,30"),
        ("USING CRON 0 24 * * * UTC", "hour of a cron", "9-17"),
        ("USING CRON 0 0 32 * * UTC", "day of month of a cron", "L for the last"),
        ("USING CRON 0 0 LW * * UTC", "day of month of a cron", "L"),
        ("USING CRON 0 0 ? * * UTC", "day of month of a cron", "*"),
        ("USING CRON 0 0 * 13 * UTC", "month of a cron", "JAN"),
        ("USING CRON 0 0 * JUNE * UTC", "month of a cron", "JAN-MAR"),
        ("USING CRON 5-5/0 0 * * * UTC", "minute of a cron", "*/15"),
        ("USING CRON 0 0 * * 8 UTC", "day of week of a cron", "MON-FRI"),
        ("USING CRON 0 0 * * 6/0 UTC", "day of week of a cron", "MON-FRI"),
        ("USING CRON 0 0 * * L UTC", "day of week of a cron", "5L"),
        ("USING CRON 0 0 * * MON#2 UTC", "day of week of a cron", "5L"),
        ("USING CRON 0 0 * * FRI-MON UTC", "day of week of a cron", "MON-FRI"),
        ("USING CRON 0 0 30 2 * UTC", "has its day", "L for the last day"),
        ("USING CRON 0 0 31 4,6,9,11 * UTC", "has its day", "L for the last day"),
    ],
)
def test_what_is_no_schedule_is_refused_with_what_to_type(
    text: str, message: str, hint: str
) -> None:
    with pytest.raises(DefinitionRefused) as refused:
        parse_schedule(text)
    assert message.lower() in refused.value.message.lower()
    assert hint.lower() in str(refused.value).lower()
    assert refused.value.hint


def test_an_interval_counts_from_resume() -> None:
    resumed = datetime(2025, 1, 1, 9, 3, 20, tzinfo=UTC)
    interval = parse_schedule("10 MINUTES")
    first = next_time(interval, resumed, resumed)
    assert first == datetime(2025, 1, 1, 9, 13, 20, tzinfo=UTC)
    assert next_time(interval, resumed - timedelta(days=1), resumed) == first
    assert next_time(interval, first, resumed) == first + timedelta(minutes=10)
    assert next_time(interval, first - timedelta(microseconds=1), resumed) == first
    late = resumed + timedelta(days=400, seconds=7)
    assert next_time(interval, late, resumed) == resumed + timedelta(days=400, minutes=10)


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        # clocks go forward: 02:30 does not exist, and is the moment of the jump
        (
            "USING CRON 30 2 * * * Europe/Berlin",
            "2025-03-28 12:00",
            ["03-29 01:30", "03-30 01:00", "03-31 00:30", "04-01 00:30"],
        ),
        (
            "USING CRON */20 2 * * * Europe/Berlin",
            "2025-03-29 12:00",
            ["03-30 01:00", "03-31 00:00", "03-31 00:20", "03-31 00:40"],
        ),
        (
            "USING CRON 30 2,3 * * * Europe/Berlin",
            "2025-03-29 12:00",
            ["03-30 01:00", "03-30 01:30", "03-31 00:30", "03-31 01:30"],
        ),
        # clocks go back: 02:30 happens twice, and runs the first time
        (
            "USING CRON 30 2 * * * Europe/Berlin",
            "2025-10-24 12:00",
            ["10-25 00:30", "10-26 00:30", "10-27 01:30", "10-28 01:30"],
        ),
        (
            "USING CRON */30 * * * * Europe/Berlin",
            "2025-10-25 23:40",
            ["10-26 00:00", "10-26 00:30", "10-26 02:00", "10-26 02:30"],
        ),
        # from within the second occurrence
        (
            "USING CRON */30 * * * * Europe/Berlin",
            "2025-10-26 01:15",
            ["10-26 02:00", "10-26 02:30", "10-26 03:00", "10-26 03:30"],
        ),
        # half an hour of daylight saving time
        (
            "USING CRON 15 2 * * * Australia/Lord_Howe",
            "2025-10-03 20:00",
            ["10-04 15:30", "10-05 15:15", "10-06 15:15", "10-07 15:15"],
        ),
        # a day that does not exist: its midnight is the next one's, which is one run
        (
            "USING CRON 0 0 * * * Pacific/Apia",
            "2011-12-28 12:00",
            ["12-29 10:00", "12-30 10:00", "12-31 10:00", "01-01 10:00"],
        ),
        (
            "USING CRON 0 0 L * * UTC",
            "2024-01-01",
            ["01-31 00:00", "02-29 00:00", "03-31 00:00", "04-30 00:00"],
        ),
        (
            "USING CRON 0 0 15,L 2 * UTC",
            "2025-01-01",
            ["02-15 00:00", "02-28 00:00", "02-15 00:00", "02-28 00:00"],
        ),
        (
            "USING CRON 0 0 * * 5L UTC",
            "2025-01-01",
            ["01-31 00:00", "02-28 00:00", "03-28 00:00", "04-25 00:00"],
        ),
        # day of month or day of week
        (
            "USING CRON 0 0 13 * FRI UTC",
            "2025-06-01",
            ["06-06 00:00", "06-13 00:00", "06-20 00:00", "06-27 00:00"],
        ),
        (
            "USING CRON 0 0 */10 * MON UTC",
            "2025-01-01",
            ["01-06 00:00", "01-11 00:00", "01-13 00:00", "01-20 00:00"],
        ),
        # a step that starts with a value: April, July, October, and never January
        (
            "USING CRON 0 0 1 4/3 * UTC",
            "2025-01-01",
            ["04-01 00:00", "07-01 00:00", "10-01 00:00", "04-01 00:00"],
        ),
        (
            "USING CRON 0 0 * jan,feb sun-MON UTC",
            "2025-01-31",
            ["02-02 00:00", "02-03 00:00", "02-09 00:00", "02-10 00:00"],
        ),
        (
            "USING CRON 0 0 29 2 * UTC",
            "2097-01-01",
            ["02-29 00:00", "02-29 00:00", "02-29 00:00", "02-29 00:00"],
        ),
    ],
)
def test_a_cron_schedule_runs_at_its_wall_clock_times(
    text: str, after: str, expected: list[str]
) -> None:
    assert times(text, after) == expected


def test_a_schedule_ends_with_the_calendar() -> None:
    end = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert next_time(parse_schedule("1 HOUR"), end, datetime(2020, 1, 1, tzinfo=UTC)) is None
    for zone in ("UTC", "Europe/Berlin", "America/New_York"):
        cron = parse_schedule(f"USING CRON 0 0 1 1 * {zone}")
        assert next_time(cron, end, end) is None


# ----------------------------------------------------------------------------------- the oracle


_NAMES = {
    name: number
    for names in (
        "SUN MON TUE WED THU FRI SAT",
        "_ JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC",
    )
    for number, name in enumerate(names.split())
}


def matches_term(term: str, value: int, first: int, last: int) -> bool:
    """Read one term of a field, step by step: nothing of it is shared with the code."""
    body, _, step = term.partition("/")
    low, _, high = body.partition("-")
    start = first if body == "*" else int(_NAMES.get(low, low))
    end = int(_NAMES.get(high, high)) if high else (last if step or body == "*" else start)
    return start <= value <= end and (value - start) % int(step or 1) == 0


def matches(expression: str, wall_time: datetime) -> bool:
    minute, hour, day, month, weekday = expression.split()
    last_day = calendar.monthrange(wall_time.year, wall_time.month)[1]
    number = wall_time.isoweekday() % 7

    def any_term(field: str, value: int, first: int, last: int) -> bool:
        return any(matches_term(term, value, first, last) for term in field.split(","))

    if not (
        any_term(minute, wall_time.minute, 0, 59)
        and any_term(hour, wall_time.hour, 0, 23)
        and any_term(month, wall_time.month, 1, 12)
    ):
        return False
    on_day = any(
        wall_time.day == last_day if term == "L" else matches_term(term, wall_time.day, 1, 31)
        for term in day.split(",")
    )
    on_weekday = any(
        number == int(term[0]) and wall_time.day + 7 > last_day
        if term.endswith("L")
        else matches_term(term, number, 0, 6)
        for term in weekday.split(",")
    )
    if day == "*" or weekday == "*":
        return on_day and on_weekday
    return on_day or on_weekday


@functools.cache
def readings(zone: str, start: datetime, end: datetime) -> list[tuple[datetime, list[datetime]]]:
    """Return each moment whose reading of the clock is new, with the readings that it stands for.

    A reading that was there before is no run. Readings that the clock jumped over are those of the
    moment where it arrives.
    """
    moment = start - timedelta(hours=6)
    latest = moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    result = []
    while moment < end:
        moment += _MINUTE
        reading = moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        new = []
        while latest < reading:
            latest += _MINUTE
            new.append(latest)
        if new and moment >= start:
            result.append((moment, new))
    return result


def walk(expression: str, zone: str, start: datetime, end: datetime) -> list[datetime]:
    """Return the runs between two moments, by reading the zone's clock at each minute."""
    return [
        moment
        for moment, new in readings(zone, start, end)
        if any(matches(expression, reading) for reading in new)
    ]


def runs(cron: CronSchedule, start: datetime, end: datetime) -> list[datetime]:
    result = []
    moment = next_time(cron, start - _MINUTE, start)
    while moment is not None and moment <= end:
        result.append(moment)
        moment = next_time(cron, moment, start)
    return result


def terms(first: int, last: int, names: list[str] | None = None) -> st.SearchStrategy[str]:
    numbers = st.integers(first, last)
    ranges = st.tuples(numbers, numbers).map(sorted)
    steps = st.integers(1, last)
    options = [
        numbers.map(str),
        ranges.map(lambda r: f"{r[0]}-{r[1]}"),
        steps.map(lambda s: f"*/{s}"),
        st.tuples(numbers, steps).map(lambda t: f"{t[0]}/{t[1]}"),
        st.tuples(ranges, steps).map(lambda t: f"{t[0][0]}-{t[0][1]}/{t[1]}"),
    ]
    if names:
        options.append(st.sampled_from(names))
    return st.one_of(options)


def fields(term: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.just("*") | st.lists(term, min_size=1, max_size=3).map(",".join)


EXPRESSIONS = st.tuples(
    fields(terms(0, 59)),
    fields(terms(0, 23)) | st.sampled_from(["0", "1", "2", "1,2,3"]),
    fields(terms(1, 28) | st.just("L")),
    st.just("*") | fields(terms(1, 12, ["MAR", "APR", "OCT", "NOV"])),
    fields(terms(0, 6, ["SUN", "SAT"]) | st.integers(0, 6).map(lambda d: f"{d}L")),
).map(" ".join)


def transitions(zone: str, first_year: int, last_year: int) -> list[datetime]:
    """Return the hours in which the clock of a zone was changed."""
    hour = timedelta(hours=1)
    moments = [datetime(first_year, 1, 1, tzinfo=UTC)]
    while moments[-1].year <= last_year:
        moments.append(moments[-1] + hour)
    offsets = [moment.astimezone(ZoneInfo(zone)).utcoffset() for moment in moments]
    pairs = zip(moments, offsets, offsets[1:], strict=False)
    return [moment for moment, before, after in pairs if before != after]


STARTS = [
    (zone, moment - timedelta(hours=3))
    for zone in ZONES
    for moment in [
        *transitions(zone, 2011, 2011),
        *transitions(zone, 2024, 2025),
        datetime(2024, 2, 28, 22, tzinfo=UTC),
    ]
]


@given(EXPRESSIONS, st.sampled_from(STARTS), st.sampled_from([0, 119, 151, 239]))
@example("0 * * * 6/1", (ZONES[0], datetime(2025, 1, 4, 12, tzinfo=UTC)), 0)
@example("0 * * * SAT/2", (ZONES[0], datetime(2025, 1, 4, 12, tzinfo=UTC)), 0)
@example("0 * 31/2 * *", (ZONES[0], datetime(2025, 1, 31, 12, tzinfo=UTC)), 0)
@settings(max_examples=200, deadline=None)
def test_random_schedules_run_as_a_clock_that_is_read_each_minute_says(
    expression: str, start: tuple[str, datetime], minutes: int
) -> None:
    zone, begin = start
    begin += timedelta(minutes=minutes)
    end = begin + timedelta(hours=30)
    assert runs(CronSchedule(expression, zone), begin, end) == walk(expression, zone, begin, end)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("expression", ["30 1,2 * * *", "*/20 0-3 L * 0", "15 2 */9 3/2 5L"])
def test_years_of_runs_are_those_of_a_clock_that_is_read_each_minute(
    expression: str, zone: str
) -> None:
    begin = datetime(2024, 1, 1, tzinfo=UTC)
    end = datetime(2024, 12, 31, tzinfo=UTC)
    assert runs(CronSchedule(expression, zone), begin, end) == walk(expression, zone, begin, end)


@given(EXPRESSIONS, st.sampled_from(ZONES), st.integers(0, 47 * 365 * 86_400))
@settings(max_examples=300, deadline=None)
def test_the_next_time_is_later_and_does_not_depend_on_where_the_search_begins(
    expression: str, zone: str, seconds: int
) -> None:
    cron = CronSchedule(expression, zone)
    after = datetime(1990, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    first = next_time(cron, after, after)
    assert first is not None
    assert first > after
    assert next_time(cron, first - timedelta(microseconds=1), after) == first
    assert next_time(cron, after + (first - after) / 2, after) == first


@given(
    EXPRESSIONS.map(lambda text: CronSchedule(text, "Europe/Berlin"))
    | st.integers(10, 90_000).map(lambda seconds: IntervalSchedule(timedelta(seconds=seconds))),
    st.integers(0, 47 * 365 * 86_400),
    st.integers(0, 86_400),
)
@settings(max_examples=200, deadline=None)
def test_the_latest_time_is_the_last_of_the_next_times(
    schedule: CronSchedule | IntervalSchedule, seconds: int, length: int
) -> None:
    after = datetime(1990, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    until = after + timedelta(seconds=length)
    anchor = datetime(1990, 1, 1, tzinfo=UTC)
    last = None
    moment = next_time(schedule, after, anchor)
    while moment is not None and moment <= until:
        last = moment
        moment = next_time(schedule, moment, anchor)
    assert latest_time(schedule, after, until, anchor) == last


def test_the_latest_of_millions_of_times_is_found_at_once() -> None:
    start, end = datetime(2000, 1, 1, tzinfo=UTC), datetime(2026, 6, 5, 4, 3, 2, tzinfo=UTC)
    for text, expected in [
        ("USING CRON * * * * * Europe/Berlin", end.replace(second=0)),
        ("USING CRON * * 1 1 * UTC", datetime(2026, 1, 1, 23, 59, tzinfo=UTC)),
        ("USING CRON 0 0 29 2 * UTC", datetime(2024, 2, 29, tzinfo=UTC)),
        ("10 SECONDS", end.replace(second=0)),
    ]:
        assert latest_time(parse_schedule(text), start, end, start) == expected
