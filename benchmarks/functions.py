"""What functions, grouping by a VARIANT and COPY INTO cost beside Spark's nearest."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_ROWS, _ROUNDS = 10_000_000, 3
_PEER = "peer"
_BYTES_OF_A_GB = 1_000_000_000
# each function, and what Spark has nearest, over columns i BIGINT, x DOUBLE, d DECIMAL(18, 4),
# s STRING of 12 characters, and t TIMESTAMP_NTZ
_FUNCTIONS = (
    ("CHR(65 + i % 26)", "char(65 + i % 26)"),
    ("CHARINDEX('7', s)", "locate('7', s)"),
    ("CONTAINS(s, '77')", "contains(s, '77')"),
    ("INITCAP(s)", "initcap(s)"),
    ("INSERT(s, 3, 2, 'zz')", "overlay(s PLACING 'zz' FROM 3 FOR 2)"),
    ("LPAD(s, 20, '*')", "lpad(s, 20, '*')"),
    ("REGEXP_COUNT(s, '[0-3]')", "regexp_count(s, '[0-3]')"),
    ("REGEXP_LIKE(s, '.*7[0-9]+')", "regexp_like(s, '^.*7[0-9]+$')"),
    ("REGEXP_REPLACE(s, '[0-4]', '#')", "regexp_replace(s, '[0-4]', '#')"),
    ("REGEXP_SUBSTR(s, '[0-9]+')", "regexp_substr(s, '[0-9]+')"),
    ("s LIKE '%7_1%'", "s LIKE '%7_1%'"),
    ("SPLIT(s, ' ')", "split(s, ' ')"),
    ("SPLIT_PART(s, ' ', 2)", "split_part(s, ' ', 2)"),
    ("STRTOK(s, ' ', 2)", "split_part(s, ' ', 2)"),
    ("SUBSTR(s, 2, 5)", "substr(s, 2, 5)"),
    ("TRANSLATE(s, '123', 'abc')", "translate(s, '123', 'abc')"),
    ("SOUNDEX(s)", "soundex(s)"),
    ("BASE64_ENCODE(s)", "base64(CAST(s AS BINARY))"),
    ("HEX_ENCODE(s)", "hex(s)"),
    ("MD5(s)", "md5(s)"),
    ("HASH(s)", "xxhash64(s)"),
    ("HASH(i, x, d)", "xxhash64(i, x, d)"),
    ("SHA2(s)", "sha2(s, 256)"),
    ("BITSHIFTLEFT(i, 3)", "shiftleft(i, 3)"),
    ("GETBIT(i, 3)", "getbit(i, 3)"),
    ("ROUND(x, 2)", "round(x, 2)"),
    ("ROUND(d, 1)", "round(d, 1)"),
    ("CEIL(x, 1)", "ceil(x, 1)"),
    ("SQRT(x)", "sqrt(x)"),
    ("LN(x + 1)", "ln(x + 1)"),
    ("POWER(x, 2)", "power(x, 2)"),
    ("DIV0(d, MOD(i, 3))", "if(i % 3 = 0, 0, d / (i % 3))"),
    ("WIDTH_BUCKET(x, 0, 100, 10)", "width_bucket(x, 0, 100, 10)"),
    ("TO_NUMBER(LEFT(s, 6))", "to_number(left(s, 6), '999999')"),
    ("TO_VARCHAR(x)", "CAST(x AS STRING)"),
    ("TO_VARCHAR(i, '999,999,999')", "to_char(i, '999,999,999')"),
    (
        "TO_DATE('2024-01-' || LPAD(1 + MOD(i, 28), 2, '0'))",
        "to_date('2024-01-' || lpad(1 + i % 28, 2, '0'))",
    ),
    ("TO_VARCHAR(t, 'YYYY-MM-DD HH24:MI')", "date_format(t, 'yyyy-MM-dd HH:mm')"),
    ("DATE_TRUNC('hour', t)", "date_trunc('hour', t)"),
    ("DATEADD(month, 1, t)", "timestampadd(month, 1, t)"),
    (
        "DATEDIFF(hour, t, '2024-06-01'::TIMESTAMP)",
        "timestampdiff(hour, t, TIMESTAMP_NTZ'2024-06-01')",
    ),
    ("LAST_DAY(t)", "last_day(t)"),
    ("DAYNAME(t)", "dayname(t)"),
    ("IFF(MOD(i, 2) = 0, s, 'z')", "if(i % 2 = 0, s, 'z')"),
    ("NVL(NULLIF(i, 5), 0)", "nvl(nullif(i, 5), 0)"),
    (
        "TO_JSON(PARSE_JSON('{\"a\":' || i || '}'))",
        "to_json(parse_json('{\"a\":' || i || '}'))",
    ),
    ("TO_JSON(OBJECT_CONSTRUCT('a', i))", "to_json(to_variant_object(named_struct('a', i)))"),
    ("ARRAY_CONTAINS(i::VARIANT, ARRAY_CONSTRUCT(1, 2, i))", "array_contains(array(1, 2, i), i)"),
)
_SOURCE = """SELECT id AS i, id % 9973 / 7.0D AS x, CAST(id % 99991 / 16.0 AS DECIMAL(18, 4)) AS d,
lpad(id % 1000003, 6, '0') || ' x' || lpad(id % 97, 4, '0') AS s,
timestampadd(second, id % 31536000, TIMESTAMP_NTZ'2024-01-01') AS t FROM range({rows})"""


def _run() -> Outcome:
    with (
        tempfile.TemporaryDirectory(prefix="icemelt-bench-") as folder,
        icemelt.connect(
            Path(folder, "lake"),
            master="local[2]",
            memory="4g",
            maintain_every=None,
            conf={
                f"spark.sql.catalog.{_PEER}": "org.apache.iceberg.spark.SparkCatalog",
                f"spark.sql.catalog.{_PEER}.type": "hadoop",
                f"spark.sql.catalog.{_PEER}.warehouse": f"{folder}/peer",
            },
        ) as session,
    ):
        rows = [
            *_measure_functions(session),
            _measure_keys(session),
            *_measure_loads(session, Path(folder)),
        ]
    functions = [row for row in rows if row["what"] == "function"]
    slowest = max(functions, key=lambda row: float(row["×"]))
    targets = [
        Target(f"the slowest function, {slowest['of']}, × Spark's nearest", slowest["×"], 2),
        Target("grouping by a VARIANT, × grouping by its cast", rows[len(functions)]["×"], 3),
    ]
    for row in rows[len(functions) + 1 :]:
        rate = round(row["Spark, s"] / row["icemelt, s"], 2)
        says = f"speed of COPY INTO, {row['of']}, × Spark's read and append"
        targets.append(Target(says, rate, 0.8, at_least=True))
    return Outcome(rows, tuple(targets))


def _measure_functions(session: icemelt.Session) -> Iterator[dict[str, Any]]:
    session.sql("CREATE TABLE f (i BIGINT, x DOUBLE, d NUMBER(18, 4), s VARCHAR, t TIMESTAMP_NTZ)")
    with session.transaction() as transaction:
        transaction.append(session.spark.sql(_SOURCE.format(rows=_ROWS)), "f")
    session.table("f").createOrReplaceTempView("f_of_spark")
    for mine, spark in _FUNCTIONS:
        yield _row(
            "function",
            mine,
            partial(_fetch, session, f"SELECT BITXOR_AGG(XXHASH64({mine})) FROM f"),
            partial(_by_spark, session, f"SELECT bit_xor(xxhash64({spark})) FROM f_of_spark"),
        )


def _measure_keys(session: icemelt.Session) -> dict[str, Any]:
    """Group by a path of a VARIANT, and by the same path cast to a number."""
    session.sql("CREATE TABLE v (v VARIANT)")
    session.sql("INSERT INTO v SELECT OBJECT_CONSTRUCT('k', MOD(i, 1000), 's', s, 'x', x) FROM f")
    query = "SELECT COUNT(*) FROM (SELECT {key}, COUNT(*) FROM v GROUP BY {key})"
    return _row(
        "grouping",
        "GROUP BY v:k beside v:k::INT",
        partial(_fetch, session, query.format(key="v:k")),
        partial(_fetch, session, query.format(key="v:k::INT")),
    )


def _measure_loads(session: icemelt.Session, folder: Path) -> Iterator[dict[str, Any]]:
    """Load a GB of files, and let Spark read and append the same ones."""
    frame = session.table("f")
    kinds = (
        ("CSV", frame.write.option("header", "true"), "PARSE_HEADER = TRUE"),
        ("JSON", frame.write, ""),
        ("PARQUET", frame.write.option("compression", "zstd"), ""),
    )
    for kind, writer, options in kinds:
        files = folder / kind
        writer.format(kind.lower()).save(str(files))
        bytes_of_it = sum(file.stat().st_size for file in files.glob("part-*"))
        yield _row(
            "loading",
            f"{kind} of {bytes_of_it / _BYTES_OF_A_GB:.1f} GB",
            partial(_load, session, files, f"TYPE = {kind} {options}"),
            partial(_append_by_spark, session, files, kind.lower()),
        )


def _load(session: icemelt.Session, files: Path, options: str) -> object:
    session.sql("CREATE OR REPLACE TABLE loaded LIKE f")
    return session.sql(
        f"COPY INTO loaded FROM '{files}/' FILE_FORMAT = ({options}) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE PATTERN = '.*part-.*'"
    ).fetchall()


def _append_by_spark(session: icemelt.Session, files: Path, kind: str) -> None:
    reader = session.spark.read.schema(session.table("f").schema).option("header", "true")
    target = f"{_PEER}.db.loaded"
    session.spark.sql(f"DROP TABLE IF EXISTS {target}")
    session.spark.sql(
        f"CREATE TABLE {target} (i BIGINT, x DOUBLE, d DECIMAL(18, 4), s STRING, "
        "t TIMESTAMP_NTZ) USING iceberg TBLPROPERTIES ('format-version' = '3')"
    )
    reader.format(kind).load(str(files)).writeTo(target).append()


def _row(
    what: str, of: str, mine: Callable[[], object], spark: Callable[[], object]
) -> dict[str, Any]:
    """Return the least seconds of two computations that take turns: all else is noise."""
    times: dict[Callable[[], object], list[float]] = {mine: [], spark: []}
    for _ in range(_ROUNDS):
        for compute, seconds in times.items():
            begin = time.perf_counter()
            compute()
            seconds.append(time.perf_counter() - begin)
    ours, theirs = min(times[mine]), min(times[spark])
    return {
        "what": what,
        "of": of,
        "icemelt, s": round(ours, 2),
        "Spark, s": round(theirs, 2),
        "×": round(ours / theirs, 2),
    }


def _fetch(session: icemelt.Session, query: str) -> object:
    return session.sql(query).fetchall()


def _by_spark(session: icemelt.Session, query: str) -> object:
    return session.spark.sql(query).collect()


def _draw(outcome: Outcome, axes: Axes) -> None:
    """Draw how many times as long as Spark's nearest each takes."""
    rows = sorted(outcome.rows, key=lambda row: float(row["×"]))
    axes.barh([str(row["of"])[:40] for row in rows], [row["×"] for row in rows])
    axes.axvline(1, color="black", linewidth=1)
    axes.tick_params(axis="y", labelsize=5)
    axes.set_xlabel("× the seconds of Spark's nearest")
    axes.set_title("Functions over 10,000,000 rows, and loading a GB")


EXPERIMENT = Experiment(
    "functions",
    "How long does a function take over 10,000,000 rows beside Spark's nearest one, whatever the "
    "two mean; grouping by a path of a VARIANT beside grouping by its cast; and COPY INTO of about "
    "a GB beside Spark's own reader and an append to an Iceberg table? The least of 3 rounds, in "
    "turn.",
    _run,
    _draw,
)
