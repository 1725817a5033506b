"""Second opinions: calls of functions, and what Python's own library gives for them.

Where both disagree, Snowflake's page decides, and the Python beside the call says so.
"""

# ruff: noqa: ARG005 - an opinion takes all columns of a row
from __future__ import annotations

import base64
import calendar
import datetime
import hashlib
import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

__all__ = ["AGGREGATES", "DATES", "NUMBERS", "TEXTS", "Opinions"]

Opinions = Mapping[str, Callable[..., Any]]

_EXACT = Context(prec=80)
_MONTHS = 12


def rounded(number: Decimal, digits: int, mode: str = ROUND_HALF_UP) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-digits), mode, _EXACT)


def quotient(dividend: int | Decimal, divisor: int, digits: int) -> Decimal:
    return rounded(_EXACT.divide(Decimal(dividend), Decimal(divisor)), digits)


def bucket(number: float, low: float, high: float, count: int) -> int:
    if number < low:
        return 0
    return count + 1 if number >= high else int((number - low) * count / (high - low)) + 1


# of a FLOAT x, an INT i and an INT j of few digits, a NUMBER(12, 4) d, and k from 0 to 20
NUMBERS: Opinions = {
    "ABS(i)": lambda x, i, j, d, k: abs(i),
    "SIGN(d)": lambda x, i, j, d, k: (d > 0) - (d < 0),
    "CEIL(d)": lambda x, i, j, d, k: rounded(d, 0, ROUND_CEILING),
    "FLOOR(d)": lambda x, i, j, d, k: rounded(d, 0, ROUND_FLOOR),
    "ROUND(d)": lambda x, i, j, d, k: rounded(d, 0),
    "ROUND(d, 1)": lambda x, i, j, d, k: rounded(d, 1),
    "ROUND(d, -2)": lambda x, i, j, d, k: rounded(d, -2),
    "ROUND(d, k - 5)": lambda x, i, j, d, k: rounded(d, min(k - 5, 4)),
    "TRUNC(d, 2)": lambda x, i, j, d, k: rounded(d, 2, ROUND_DOWN),
    "TRUNC(d, k - 5)": lambda x, i, j, d, k: rounded(d, min(k - 5, 4), ROUND_DOWN),
    "CEIL(d, k - 5)": lambda x, i, j, d, k: rounded(d, min(k - 5, 4), ROUND_CEILING),
    # the sign is the dividend's, and not the divisor's
    "MOD(j, 7)": lambda x, i, j, d, k: int(math.fmod(j, 7)),
    "MOD(d, -7)": lambda x, i, j, d, k: _EXACT.remainder(d, Decimal(-7)),
    "j / 7": lambda x, i, j, d, k: quotient(j, 7, 6),
    "d / (k + 1)": lambda x, i, j, d, k: quotient(d, k + 1, 10),
    "DIV0(j, k)": lambda x, i, j, d, k: quotient(j, k, 6) if k else 0,
    "d * d": lambda x, i, j, d, k: d * d,
    "d + j": lambda x, i, j, d, k: d + j,
    "BITAND(i, j)": lambda x, i, j, d, k: i & j,
    "BITOR(i, j)": lambda x, i, j, d, k: i | j,
    "BITXOR(i, j)": lambda x, i, j, d, k: i ^ j,
    "BITNOT(i)": lambda x, i, j, d, k: ~i,
    "BITSHIFTRIGHT(i, k)": lambda x, i, j, d, k: i >> k,
    "BITSHIFTLEFT(j, k)": lambda x, i, j, d, k: j << k,
    "GETBIT(i, k)": lambda x, i, j, d, k: i >> k & 1,
    "FACTORIAL(k)": lambda x, i, j, d, k: math.factorial(k),
    "GREATEST(i, j)": lambda x, i, j, d, k: max(i, j),
    "LEAST(d, j)": lambda x, i, j, d, k: min(d, j),
    "WIDTH_BUCKET(j, -500, 500, 7)": lambda x, i, j, d, k: bucket(j, -500, 500, 7),
    "SQRT(ABS(x))": lambda x, i, j, d, k: math.sqrt(abs(x)),
    "CBRT(j)": lambda x, i, j, d, k: math.cbrt(j),
    "EXP(x / 10000)": lambda x, i, j, d, k: math.exp(x / 10000),
    "LN(ABS(x) + 1)": lambda x, i, j, d, k: math.log(abs(x) + 1),
    "LOG(10, ABS(x) + 1)": lambda x, i, j, d, k: math.log10(abs(x) + 1),
    "POWER(x, 3)": lambda x, i, j, d, k: x**3,
    "SQUARE(x)": lambda x, i, j, d, k: x**2,
    "SIN(x)": lambda x, i, j, d, k: math.sin(x),
    "COS(x)": lambda x, i, j, d, k: math.cos(x),
    "ATAN(x)": lambda x, i, j, d, k: math.atan(x),
    "ATAN2(x, j)": lambda x, i, j, d, k: math.atan2(x, j),
    "ASIN(SIN(x))": lambda x, i, j, d, k: math.asin(math.sin(x)),
    "TANH(x)": lambda x, i, j, d, k: math.tanh(x),
    "ASINH(x)": lambda x, i, j, d, k: math.asinh(x),
    "DEGREES(x)": lambda x, i, j, d, k: math.degrees(x),
    "RADIANS(x)": lambda x, i, j, d, k: math.radians(x),
    "x::INT": lambda x, i, j, d, k: int(rounded(Decimal(x), 0)),
    "d::INT": lambda x, i, j, d, k: int(rounded(d, 0)),
    "d::NUMBER(9, 2)": lambda x, i, j, d, k: rounded(d, 2),
    "d::VARCHAR": lambda x, i, j, d, k: f"{d:f}",
    "i::VARCHAR::INT": lambda x, i, j, d, k: i,
    "TO_NUMBER(d::VARCHAR, 20, 3)": lambda x, i, j, d, k: rounded(d, 3),
}


def substring(text: str, start: int, length: int) -> str:
    """Positions count from 1, from the end below 0, and 0 is 1."""
    begin = max(start - 1, 0) if start >= 0 else len(text) + start
    return "" if begin < 0 else text[begin : begin + max(length, 0)]


def split_part(text: str, separator: str, number: int) -> str:
    parts = text.split(separator) if separator else [text]
    place = number - 1 if number > 0 else min(number, 0)
    return parts[place] if -len(parts) <= place < len(parts) else ""


def padded(text: str, length: int, pad: str, *, left: bool) -> str:
    fill = (pad * length)[: max(length - len(text), 0)] if pad else ""
    return (fill + text if left else text + fill)[:length] if len(text) < length else text[:length]


def edits(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for at, one in enumerate(left, start=1):
        previous, row[0] = row[0], at
        for place, other in enumerate(right, start=1):
            previous, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, previous + (one != other)),
            )
    return row[-1]


# of VARCHARs s, p (a few characters, one at least) and o, and n from -4 to 12
TEXTS: Opinions = {
    "LENGTH(s)": lambda s, p, o, n: len(s),
    "OCTET_LENGTH(s)": lambda s, p, o, n: len(s.encode()),
    "BIT_LENGTH(s)": lambda s, p, o, n: 8 * len(s.encode()),
    "UPPER(s)": lambda s, p, o, n: s.upper(),
    "LOWER(s)": lambda s, p, o, n: s.lower(),
    "REVERSE(s)": lambda s, p, o, n: s[::-1],
    "CONCAT(s, p, o)": lambda s, p, o, n: s + p + o,
    "CONCAT_WS(p, s, o)": lambda s, p, o, n: p.join([s, o]),
    "s || o": lambda s, p, o, n: s + o,
    "REPEAT(p, n)": lambda s, p, o, n: p * n,
    "REPLACE(s, p, o)": lambda s, p, o, n: s.replace(p, o),
    "REPLACE(s, p)": lambda s, p, o, n: s.replace(p, ""),
    "TRANSLATE(s, 'ab ', 'xé')": lambda s, p, o, n: s.translate(str.maketrans("ab", "xé", " ")),
    "LEFT(s, n)": lambda s, p, o, n: s[: max(n, 0)],
    "RIGHT(s, n)": lambda s, p, o, n: s[-n:] if n > 0 else "",
    "SUBSTR(s, n)": lambda s, p, o, n: substring(s, n, len(s)),
    "SUBSTR(s, n, 3)": lambda s, p, o, n: substring(s, n, 3),
    "SUBSTR(s, 2, n)": lambda s, p, o, n: substring(s, 2, n),
    "SPLIT_PART(s, p, n)": lambda s, p, o, n: split_part(s, p, n),
    "SPLIT(s, p)": lambda s, p, o, n: s.split(p),
    "CHARINDEX(p, s)": lambda s, p, o, n: s.find(p) + 1,
    "POSITION(p, s, 3)": lambda s, p, o, n: s.find(p, 2) + 1,
    "CONTAINS(s, p)": lambda s, p, o, n: p in s,
    "STARTSWITH(s, p)": lambda s, p, o, n: s.startswith(p),
    "ENDSWITH(s, p)": lambda s, p, o, n: s.endswith(p),
    "LPAD(s, n, p)": lambda s, p, o, n: padded(s, max(n, 0), p, left=True),
    "RPAD(s, n, p)": lambda s, p, o, n: padded(s, max(n, 0), p, left=False),
    "TRIM(s)": lambda s, p, o, n: s.strip(" "),
    "LTRIM(s, ' a')": lambda s, p, o, n: s.lstrip(" a"),
    "RTRIM(s)": lambda s, p, o, n: s.rstrip(" "),
    "RTRIMMED_LENGTH(s)": lambda s, p, o, n: len(s.rstrip(" ")),
    "UNICODE(s)": lambda s, p, o, n: ord(s[0]) if s else 0,
    "CHR(UNICODE(p))": lambda s, p, o, n: p[0],
    "EDITDISTANCE(s, o)": lambda s, p, o, n: edits(s, o),
    "MD5(s)": lambda s, p, o, n: hashlib.md5(s.encode()).hexdigest(),  # noqa: S324
    "SHA1(s)": lambda s, p, o, n: hashlib.sha1(s.encode()).hexdigest(),  # noqa: S324
    "SHA2(s)": lambda s, p, o, n: hashlib.sha256(s.encode()).hexdigest(),
    "SHA2(s, 512)": lambda s, p, o, n: hashlib.sha512(s.encode()).hexdigest(),
    "HEX_ENCODE(s)": lambda s, p, o, n: s.encode().hex().upper(),
    "BASE64_ENCODE(s)": lambda s, p, o, n: base64.b64encode(s.encode()).decode(),
    "BASE64_DECODE_STRING(BASE64_ENCODE(s))": lambda s, p, o, n: s,
    "HEX_DECODE_STRING(HEX_ENCODE(s))": lambda s, p, o, n: s,
    "REGEXP_REPLACE(s, '[ab]+', '-')": lambda s, p, o, n: re.sub("[ab]+", "-", s),
    "REGEXP_COUNT(s, '[ab]+')": lambda s, p, o, n: len(re.findall("[ab]+", s)),
    "REGEXP_LIKE(s, '[ab ]*')": lambda s, p, o, n: re.fullmatch("[ab ]*", s) is not None,
    "REGEXP_SUBSTR(s, '[ab]+', 1, 2)": lambda s, p, o, n: [*re.findall("[ab]+", s), None, None][1],
    "REGEXP_INSTR(s, '[^a]+')": lambda s, p, o, n: (
        found.start() + 1 if (found := re.search("[^a]+", s)) else 0
    ),
    "s < o": lambda s, p, o, n: s.encode() < o.encode(),
}


def months_later(day: datetime.date, months: int) -> datetime.date:
    """The day stays, or is the last one of the month."""
    count = day.year * _MONTHS + day.month - 1 + months
    year, month = divmod(count, _MONTHS)
    last = calendar.monthrange(year, month + 1)[1]
    return day.replace(year=year, month=month + 1, day=min(day.day, last))


def last_day(day: datetime.date) -> datetime.date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def months_between(start: datetime.date, end: datetime.date) -> int:
    return (end.year - start.year) * _MONTHS + end.month - start.month


def following(day: datetime.date, weekday: int) -> datetime.date:
    return day + datetime.timedelta((weekday - day.isoweekday() - 1) % 7 + 1)


_DAY = datetime.timedelta(days=1)
# of DATEs d and e, a TIMESTAMP_NTZ t, and n from -2000 to 2000
DATES: Opinions = {
    "YEAR(d)": lambda d, e, t, n: d.year,
    "QUARTER(d)": lambda d, e, t, n: (d.month + 2) // 3,
    "MONTH(t)": lambda d, e, t, n: t.month,
    "DAY(d)": lambda d, e, t, n: d.day,
    "DAYOFYEAR(d)": lambda d, e, t, n: d.timetuple().tm_yday,
    "DAYOFWEEK(d)": lambda d, e, t, n: d.isoweekday() % 7,
    "DAYOFWEEKISO(d)": lambda d, e, t, n: d.isoweekday(),
    "WEEKISO(d)": lambda d, e, t, n: d.isocalendar().week,
    "YEAROFWEEKISO(d)": lambda d, e, t, n: d.isocalendar().year,
    "DAYNAME(d)": lambda d, e, t, n: calendar.day_abbr[d.weekday()],
    "MONTHNAME(d)": lambda d, e, t, n: calendar.month_abbr[d.month],
    "HOUR(t)": lambda d, e, t, n: t.hour,
    "MINUTE(t)": lambda d, e, t, n: t.minute,
    "SECOND(t)": lambda d, e, t, n: t.second,
    "LAST_DAY(d)": lambda d, e, t, n: last_day(d),
    "NEXT_DAY(d, 'fr')": lambda d, e, t, n: following(d, 5),
    "DATEADD('day', n, d)": lambda d, e, t, n: d + n * _DAY,
    "DATEADD('week', n, d)": lambda d, e, t, n: d + 7 * n * _DAY,
    "DATEADD('month', n, d)": lambda d, e, t, n: months_later(d, n),
    "DATEADD('quarter', n, d)": lambda d, e, t, n: months_later(d, 3 * n),
    "DATEADD('year', n / 40, d)": lambda d, e, t, n: months_later(
        d, 12 * int(rounded(quotient(n, 40, 6), 0))
    ),
    # the last day of a month stays a last day
    "ADD_MONTHS(d, n)": lambda d, e, t, n: (
        last_day(months_later(d, n)) if d == last_day(d) else months_later(d, n)
    ),
    "DATEADD('second', n, t)": lambda d, e, t, n: t + datetime.timedelta(seconds=n),
    "DATEADD('hour', n, t)": lambda d, e, t, n: t + datetime.timedelta(hours=n),
    "d + n": lambda d, e, t, n: d + n * _DAY,
    "d - e": lambda d, e, t, n: (d - e).days,
    "DATEDIFF('day', d, e)": lambda d, e, t, n: (e - d).days,
    "DATEDIFF('month', d, e)": lambda d, e, t, n: months_between(d, e),
    "DATEDIFF('year', d, e)": lambda d, e, t, n: e.year - d.year,
    "DATEDIFF('quarter', d, e)": lambda d, e, t, n: (
        (e.year - d.year) * 4 + (e.month - 1) // 3 - (d.month - 1) // 3
    ),
    # weeks begin on Monday
    "DATEDIFF('week', d, e)": lambda d, e, t, n: (
        ((e - e.weekday() * _DAY) - (d - d.weekday() * _DAY)).days // 7
    ),
    "DATEDIFF('hour', t, d)": lambda d, e, t, n: (
        (
            datetime.datetime.combine(d, datetime.time())
            - t.replace(minute=0, second=0, microsecond=0)
        )
        // datetime.timedelta(hours=1)
    ),
    "DATE_TRUNC('month', d)": lambda d, e, t, n: d.replace(day=1),
    "DATE_TRUNC('week', d)": lambda d, e, t, n: d - d.weekday() * _DAY,
    "DATE_TRUNC('quarter', d)": lambda d, e, t, n: d.replace(
        month=(d.month - 1) // 3 * 3 + 1, day=1
    ),
    "DATE_TRUNC('minute', t)": lambda d, e, t, n: t.replace(second=0, microsecond=0),
    "t::DATE": lambda d, e, t, n: t.date(),
    "TO_CHAR(d, 'YYYY-MM-DD')": lambda d, e, t, n: d.isoformat(),
    "TO_CHAR(t, 'YYYY-MM-DD HH24:MI:SS.FF6')": lambda d, e, t, n: t.isoformat(
        " ", timespec="microseconds"
    ),
    "TO_CHAR(d, 'DD MON YYYY, DY')": lambda d, e, t, n: f"{d:%d %b} {d.year:04}, {d:%a}",
    "TO_DATE(TO_CHAR(d, 'MM/DD/YYYY'), 'MM/DD/YYYY')": lambda d, e, t, n: d,
    "DATE_FROM_PARTS(2000, 1, n)": lambda d, e, t, n: datetime.date(2000, 1, 1) + (n - 1) * _DAY,
    "DATE_PART(epoch_second, t)": lambda d, e, t, n: (
        (
            t - datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - both are without a zone
        )
        // datetime.timedelta(seconds=1)
    ),
    "d < e": lambda d, e, t, n: d < e,
}


def of_pairs(function: Callable[..., float]) -> Callable[..., float | None]:
    """An opinion of the doubles of two columns; none where the function has no value."""

    def opinion(d: Sequence[Decimal], i: Sequence[int], s: Sequence[str]) -> float | None:
        try:
            return function(list(map(float, d)), list(map(float, i)))
        except statistics.StatisticsError:
            return None

    return opinion


def moment(values: Sequence[Decimal], power: int) -> float:
    mean = statistics.fmean(values)
    return math.fsum((float(value) - mean) ** power for value in values) / len(values)


def skew(values: Sequence[Decimal]) -> float | None:
    n, spread = len(values), moment(values, 2)
    if n < 3 or not spread:
        return None
    return math.sqrt(n * (n - 1)) / (n - 2) * moment(values, 3) / spread**1.5


def kurtosis(values: Sequence[Decimal]) -> float | None:
    n, spread = len(values), moment(values, 2)
    if n < 4 or not spread:
        return None
    excess = moment(values, 4) / spread**2 - 3
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6)


def interpolated(values: Sequence[Decimal], part: Decimal) -> Decimal:
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    low, share = ordered[int(place)], place - int(place)
    high = ordered[min(int(place) + 1, len(ordered) - 1)]
    return low + (high - low) * share


def exclusive_or(values: Sequence[int]) -> int:
    found = 0
    for value in values:
        found ^= value
    return found


def spread(function: Callable[[Sequence[float]], float]) -> Callable[..., float | None]:
    def opinion(d: Sequence[Decimal], i: Sequence[int], s: Sequence[str]) -> float | None:
        try:
            return function(list(map(float, d)))
        except statistics.StatisticsError:
            return None

    return opinion


def chosen_by(i: Sequence[int], s: Sequence[str]) -> str:
    return min(zip(i, s, strict=True))[1]


# of the values of groups: NUMBER(12, 4) d, INT i, VARCHAR s
AGGREGATES: Opinions = {
    "COUNT(*)": lambda d, i, s: len(d),
    "COUNT(DISTINCT s)": lambda d, i, s: len(set(s)),
    "COUNT(DISTINCT i, s)": lambda d, i, s: len(set(zip(i, s, strict=True))),
    "COUNT_IF(i > 0)": lambda d, i, s: sum(each > 0 for each in i),
    "SUM(d)": lambda d, i, s: sum(d),
    "SUM(DISTINCT i)": lambda d, i, s: sum(set(i)),
    "AVG(d)": lambda d, i, s: quotient(sum(d), len(d), 10),
    "AVG(i)": lambda d, i, s: quotient(sum(i), len(i), 6),
    "AVG(d::NUMBER)": lambda d, i, s: quotient(sum(rounded(each, 0) for each in d), len(d), 6),
    "AVG(DISTINCT i)": lambda d, i, s: quotient(sum(set(i)), len(set(i)), 6),
    "MIN(s)": lambda d, i, s: min(s, key=str.encode),
    "MAX(d)": lambda d, i, s: max(d),
    "MEDIAN(d)": lambda d, i, s: rounded(interpolated(d, Decimal("0.5")), 7),
    "PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY i)": lambda d, i, s: rounded(
        interpolated(list(map(Decimal, i)), Decimal("0.3")), 3
    ),
    "PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY d)": lambda d, i, s: sorted(d)[
        max(-(-3 * len(d) // 10), 1) - 1
    ],
    "PERCENTILE_DISC(0.7) WITHIN GROUP (ORDER BY s)": lambda d, i, s: sorted(s, key=str.encode)[
        max(-(-7 * len(s) // 10), 1) - 1
    ],
    # of several values that are there most often, the least
    "MODE(i)": lambda d, i, s: min(statistics.multimode(i)),
    "MIN_BY(s, STRUCT(i, s))": lambda d, i, s: chosen_by(i, s),
    "MAX_BY(i, i, 3)": lambda d, i, s: sorted(i, reverse=True)[:3],
    "STDDEV(d)": spread(statistics.stdev),
    "STDDEV_POP(d)": spread(statistics.pstdev),
    "VARIANCE(d)": spread(statistics.variance),
    "VAR_POP(d)": spread(statistics.pvariance),
    "SKEW(d)": lambda d, i, s: skew(d),
    "KURTOSIS(d)": lambda d, i, s: kurtosis(d),
    "CORR(d, i)": of_pairs(statistics.correlation),
    "COVAR_SAMP(d, i)": of_pairs(statistics.covariance),
    "REGR_SLOPE(d, i)": of_pairs(lambda d, i: statistics.linear_regression(i, d).slope),
    "BITXOR_AGG(i)": lambda d, i, s: exclusive_or(i),
    "BOOLXOR_AGG(i > 40)": lambda d, i, s: sum(each > 40 for each in i) == 1,
    "LISTAGG(i, ',') WITHIN GROUP (ORDER BY i DESC)": lambda d, i, s: ",".join(
        map(str, sorted(i, reverse=True))
    ),
    "LISTAGG(DISTINCT i, ',') WITHIN GROUP (ORDER BY i)": lambda d, i, s: ",".join(
        map(str, sorted(set(i)))
    ),
    "ARRAY_AGG(d) WITHIN GROUP (ORDER BY d)": lambda d, i, s: sorted(d),
    "ARRAY_UNIQUE_AGG(i)": lambda d, i, s: sorted(set(i)),
}
