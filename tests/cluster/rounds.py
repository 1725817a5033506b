"""A program that works in rounds on a cluster, and goes on where an earlier one was killed.

Its arguments are a lake's catalog and warehouse, the package of the store's connector, the master,
a Python for the executors, and how many rounds. In a transaction of each round rows of a large
table are merged, and what a stream on it has is copied; a channel sends rows beside it. It prints a
line for each round, and what is there in the end.
"""

from __future__ import annotations

import json
import sys

import icemelt
from icemelt.errors import IcemeltError

ROWS, NEW, SENT = 100_000, 100, 50
_NEW_IDS = "METADATA$ACTION = 'INSERT' AND NOT METADATA$ISUPDATE"
_MERGE = """MERGE INTO t USING (
    SELECT SEQ8() * 10 + {residue} AS id FROM TABLE(GENERATOR(ROWCOUNT => {changed}))
    UNION ALL SELECT {first} + SEQ8() FROM TABLE(GENERATOR(ROWCOUNT => {new}))
  ) s ON t.id = s.id
  WHEN MATCHED THEN UPDATE SET v = t.v + 1
  WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 0)"""


def main(
    catalog: str, warehouse: str, connector: str, master: str, python: str, rounds: int
) -> None:
    conf = {
        "spark.pyspark.python": python,
        "spark.executor.memory": "1g",
        "spark.icemelt.driverRuns": "false",
    }
    with icemelt.connect(
        catalog=catalog,
        warehouse=warehouse,
        master=master,
        memory="2g",
        packages=[connector],
        conf=conf,
        maintain_every=None,
    ) as own:
        _begin(own)
        _run(own, rounds)
        _tell(_end(own))


def _run(session: icemelt.Session, rounds: int) -> None:
    """Do the rounds that are left; wait until the channel's rows are there."""
    with session.ingest_client() as client:
        channel, status = client.open_channel("one", "main", "public", "sent")
        sent = int(status.latest_committed_offset_token or 0)
        for number in range(_done(session) + 1, rounds + 1):
            while not _work(session, number):
                pass
            if number > sent:
                rows = [{"round": number, "place": place} for place in range(SENT)]
                channel.append_rows(rows, end_offset_token=str(number))
            _tell(number)
        wanted = str(rounds)
        channel.wait_for_commit(lambda token: token == wanted, timeout_seconds=120)


def _begin(session: icemelt.Session) -> None:
    """Make what an earlier driver has not made."""
    source = f"SELECT SEQ8() AS id, 0 AS v FROM TABLE(GENERATOR(ROWCOUNT => {ROWS}))"
    for statement in (
        f"TABLE IF NOT EXISTS t AS {source}",
        "TABLE IF NOT EXISTS copied (id INT)",
        "TABLE IF NOT EXISTS sent (round INT, place INT)",
        "STREAM IF NOT EXISTS s ON TABLE t",
        "TABLE IF NOT EXISTS rounds (number INT)",
    ):
        session.sql(f"CREATE {statement}")


def _done(session: icemelt.Session) -> int:
    [(last,)] = session.sql("SELECT COALESCE(MAX(number), 0) FROM rounds").fetchall()
    return int(last)


def _work(session: icemelt.Session, number: int) -> bool:
    """Do a round in a transaction; return whether it is done. A lost executor may fail it."""
    if _done(session) >= number:
        # its COMMIT was published, and the answer was lost
        return True
    changed = ROWS // 10
    text = _MERGE.format(residue=number % 10, changed=changed, first=ROWS + number * NEW, new=NEW)
    try:
        before = session.sql("SELECT 1").statement_id
        with session.transaction():
            session.sql(text)
            session.sql(f"INSERT INTO copied SELECT id FROM s WHERE {_NEW_IDS}")
            session.sql(f"INSERT INTO rounds VALUES ({number})")
        query = "SELECT COUNT(*) FROM t CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => ?)"
        [(found,)] = session.sql(query, [before]).fetchall()
        assert found == 2 * changed + NEW, found
    except IcemeltError as error:
        _tell(f"{error.code}: {error.message[:200]}")
        return False
    return True


def _end(session: icemelt.Session) -> dict[str, object]:
    session.sql(f"INSERT INTO copied SELECT id FROM s WHERE {_NEW_IDS}")
    first = session.maintain(safe_age=0)
    second = session.maintain(safe_age=0)
    questions = {
        "t": "SELECT COUNT(*), COUNT(DISTINCT id), SUM(v), COUNT(DISTINCT v) FROM t WHERE v > 0",
        "rows": "SELECT COUNT(*), COUNT(DISTINCT id) FROM t",
        "copied": "SELECT COUNT(*), COUNT(DISTINCT id), MIN(id), MAX(id) FROM copied",
        "sent": "SELECT COUNT(*), COUNT(DISTINCT round * 1000 + place), MAX(round) FROM sent",
        "locks": "SHOW LOCKS",
        "transactions": "SHOW TRANSACTIONS",
    }
    answers = {name: session.sql(query).fetchall() for name, query in questions.items()}
    return {**answers, "swept": [first.files_removed, second.files_removed]}


def _tell(said: object) -> None:
    print(json.dumps(said, default=str), flush=True)  # noqa: T201 - its answer


if __name__ == "__main__":
    main(*sys.argv[1:6], int(sys.argv[6]))
