"""Sequences of several processes: no number is given twice, whoever dies when."""

from __future__ import annotations

from pathlib import Path

from processes import ProcessSession

_INSERT = "INSERT INTO t (id, v) SELECT s.NEXTVAL, '{v}' FROM TABLE(GENERATOR(ROWCOUNT => {count}))"
_COUNTS = "SELECT COUNT(*), COUNT(DISTINCT id), COUNT(DISTINCT n) FROM t WHERE v <> 'killed'"
_IS_LATER = "SELECT q.n > t.id FROM (SELECT s.NEXTVAL AS n) q, (SELECT MAX(id) AS id FROM t) t"


def test_processes_never_share_numbers(tmp_path: Path) -> None:
    with ProcessSession(tmp_path) as first:
        assert not first.sql("CREATE SEQUENCE s").code
        assert not first.sql("CREATE TABLE t (id INT, n INT AUTOINCREMENT, v VARCHAR)").code
        with ProcessSession(tmp_path).ready() as second:
            for _ in range(3):
                _insert_at_once(first, second)
            # more numbers than a range has: it dies while it has some, and takes more
            second.start(_INSERT.format(v="killed", count=200_000_000))
            assert not first.sql(_INSERT.format(v="beside", count=5_000)).code
            second.kill()
        assert not first.sql(_INSERT.format(v="after", count=5_000)).code
        assert first.sql(_COUNTS).rows == [(40_000, 40_000, 40_000)]
        assert first.sql(_IS_LATER).rows == [(True,)]


def _insert_at_once(*processes: ProcessSession) -> None:
    for number, process in enumerate(processes):
        process.start(_INSERT.format(v=f"of {number}", count=5_000))
    for process in processes:
        answer = process.answer()
        assert answer is not None
        assert not answer.code, answer.message
