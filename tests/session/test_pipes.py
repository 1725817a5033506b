"""Pipes: sessions at once, kills, batches, files at fault, odd names, runs in the background."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from processes import ProcessSession
from waiting import wait_until

import icemelt
from conftest import Lake
from icemelt.errors import (
    Conflict,
    DefinitionRefused,
    LoadFailed,
    ObjectNotFound,
    PipeBroken,
    QueryError,
)
from icemelt.observe.events import Event
from icemelt.session.background_maintenance import start_background_pipes
from icemelt.session.copy import file_loads, pipe_batches, pipe_runs
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.session import Session, core_of

WRITE = file_loads._write
TABLE = "CREATE TABLE t (id INT, v VARCHAR)"


def make_pipe(session: Session, folder: Path, options: str = "", name: str = "p") -> None:
    """Make a table `t`, if there is none, and a pipe of a folder into it."""
    folder.mkdir(exist_ok=True)
    if not session.sql("SHOW TABLES LIKE 't'").fetchall():
        session.sql(TABLE)
    session.sql(f"CREATE PIPE {name} AUTO_INGEST = TRUE AS COPY INTO t FROM '{folder}' {options}")


def write(folder: Path, *numbers: int) -> None:
    """Write a file for each number, whose only row has it."""
    for number in numbers:
        (folder / f"{number}.csv").write_text(f"{number},x\n")


def ids(session: Session) -> Counter[int]:
    """Return how often each id is in the table."""
    return Counter(row[0] for row in session.sql("SELECT id FROM t").fetchall())


def status(session: Session, name: str = "p") -> dict[str, Any]:
    """Return SYSTEM$PIPE_STATUS of a pipe."""
    [[text]] = session.sql(f"SELECT SYSTEM$PIPE_STATUS('{name}')").fetchall()
    told: dict[str, Any] = json.loads(text)
    return told


def refresh(session: Session, name: str = "p") -> dict[str, str]:
    """REFRESH a pipe; return the status of each file by its name."""
    rows = session.sql(f"ALTER PIPE {name} REFRESH").fetchall()
    return {row[0].rpartition("/")[2]: row[1] for row in rows}


def at_once(*works: Callable[[], Any]) -> None:
    """Run functions at once, each in a thread, and raise what they raise."""
    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(work) for work in works]:
            done.result()


def test_sessions_that_run_one_pipe_at_once_load_no_file_twice(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # without a lease, as where one has expired: the queue and the history alone keep them apart
    monkeypatch.setattr("icemelt.session.ddl.pipes.hold_reservation", _no_reservation)
    monkeypatch.setattr("icemelt.session.ddl.pipes.reserve_tables", lambda *_: True)
    monkeypatch.setattr(pipe_runs, "_BATCH_FILES", 4)
    first, *others = [lake.open() for _ in range(3)]
    make_pipe(first, tmp_path / "in")
    write(tmp_path / "in", *range(12))

    def run(session: Session) -> None:
        for _ in range(8):
            try:
                session.run_pipes()
            except Conflict:
                continue

    at_once(lambda: run(first), lambda: run(others[0]), lambda: refresh_patiently(others[1]))
    assert ids(first) == Counter(range(12))
    assert status(first)["pendingFileCount"] == 0


def refresh_patiently(session: Session) -> None:
    """REFRESH until it is published."""
    while True:
        try:
            session.sql("ALTER PIPE p REFRESH")
        except Conflict:
            continue
        return


def _no_reservation(*_arguments: object) -> threading.Lock:
    return threading.Lock()


def test_a_pipe_and_copy_into_at_once_load_no_file_twice(lake: Lake, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    first, second, third = lake.open(), lake.open(), lake.open()
    make_pipe(first, folder)
    for wave in range(3):
        write(folder, *range(5 * wave, 5 * wave + 5))
        at_once(
            lambda: refresh_patiently(first),
            lambda: second.sql(f"COPY INTO t FROM '{folder}'"),
            lambda: third.sql("INSERT INTO t VALUES (100, 'other')"),
        )
        refresh(first)
    assert ids(first) == Counter({**dict.fromkeys(range(15), 1), 100: 3})


def test_a_pipe_that_another_session_runs_is_left_to_it(lake: Lake, tmp_path: Path) -> None:
    session, other = lake.open(), lake.open()
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", 1)
    [pipe_id] = [each.object_id for each in _pipes(session)]
    with _held(other, pipe_id):
        assert session.run_pipes() == {}
    assert session.run_pipes() == {"main.public.p": 1}


def _pipes(session: Session) -> list[Any]:
    from icemelt.session.ddl.pipes import find_due_pipes  # noqa: PLC0415

    return [pipe for pipe, _ in find_due_pipes(core_of(session).database)]


def _held(session: Session, object_id: str) -> Any:
    from icemelt.transactions.transaction import hold_reservation  # noqa: PLC0415

    return hold_reservation(core_of(session).database, [object_id], "another")


@pytest.mark.slow
def test_a_pipe_killed_between_and_within_batches_forgets_no_file_and_loads_none_twice(
    lake: Lake, tmp_path: Path
) -> None:
    session, folder = lake.open(), tmp_path / "in"
    make_pipe(session, folder)
    write(folder, *range(2_300))
    for left in (2_300, 1_300):
        with ProcessSession(tmp_path) as other:
            other.start("ALTER PIPE p REFRESH")

            def has_come(left: int = left) -> bool:
                return status(session)["pendingFileCount"] == left

            # the queue is published, and then a batch of it
            wait_until(has_come, 120)
            other.kill()
    assert ids(session).total() in {0, 1_000, 2_000}
    # the lease of the dead holds others up no longer than it lives
    assert set(refresh(session).values()) <= {"LOADED"}
    assert ids(session) == Counter(range(2_300))


def test_many_files_are_loaded_in_batches_of_bounded_count_and_size(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "in"
    make_pipe(session, folder)
    write(folder, *range(10, 17))
    monkeypatch.setattr(pipe_runs, "_BATCH_FILES", 3)
    assert len(refresh(session)) == 7
    [statement] = session.history(1)
    history = session.sql("DESC HISTORY t").fetchall()
    assert [row[7] for row in history[:3]] == [1, 3, 3]
    # the statement is the last batch's
    assert [row[6] for row in history[:3]] == [statement.statement_id, None, None]
    assert (statement.text, statement.rowcount) == ("ALTER PIPE p REFRESH", 7)
    monkeypatch.setattr(pipe_runs, "_BATCH_BYTES", 9)
    write(folder, *range(20, 23))
    assert len(refresh(session)) == 3
    assert [row[7] for row in session.sql("DESC HISTORY t").fetchall()[:3]] == [1, 1, 1]
    assert ids(session) == Counter([*range(10, 17), *range(20, 23)])


def test_a_file_at_fault_costs_no_other_file(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    make_pipe(session, folder)
    write(folder, *range(5))
    whole = gzip.compress(b"7,x\n" * 10_000)
    (folder / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "none.csv.gz").write_bytes(b"no gzip")
    (folder / "hadoops.csv.lz4").write_bytes(b"\x00")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    told = refresh(session)
    failed = {name for name, said in told.items() if said == "LOAD_FAILED"}
    assert failed == {"cut.csv.gz", "none.csv.gz", "hadoops.csv.lz4", "binary.csv"}
    assert ids(session) == Counter(range(5))
    # failed files are not tried again; mended, they are
    assert refresh(session) == {}
    (folder / "cut.csv.gz").write_bytes(whole)
    assert refresh(session) == {"cut.csv.gz": "LOADED"}
    query = (
        "SELECT first_error_message FROM TABLE(INFORMATION_SCHEMA.COPY_HISTORY('t', '2000-01-01'))"
    )
    errors = [row[0] for row in session.sql(f"{query} WHERE file_name LIKE '%none%'").fetchall()]
    assert errors[0].startswith("The file is damaged, or no CSV file")


def test_parquet_files_of_another_format_are_skipped(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    options = "FILE_FORMAT = (TYPE = PARQUET) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    make_pipe(session, folder, options)
    session.sql(
        f"COPY INTO '{folder}/good' FROM (SELECT 1 AS id, 'a' AS v) HEADER = TRUE "
        "FILE_FORMAT = (TYPE = PARQUET)"
    )
    (folder / "text.parquet").write_text("1,x\n")
    (folder / "empty.parquet").write_bytes(b"")
    told = refresh(session)
    assert told["text.parquet"] == told["empty.parquet"] == "LOAD_FAILED"
    assert ids(session) == Counter([1])


def test_files_of_odd_names_are_loaded_once(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    make_pipe(session, folder)
    names = ["a b", "50%", "%41", "ü ✓", "new\nline", "it's", "[x]{y}*?", "#1", "a+b&c=d"]
    for number, name in enumerate(names):
        (folder / f"{name}.csv").write_text(f"{number},x\n")
    assert set(refresh(session).values()) == {"LOADED"}
    assert refresh(session) == {}
    assert ids(session) == Counter(range(len(names)))


def test_files_that_cannot_be_read_are_recorded_once_with_the_reason_and_stop_no_other(
    session: Session, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    make_pipe(session, folder)
    write(folder, 1)
    deep = folder / "/".join(["n" * 200] * 11)
    deep.mkdir(parents=True)
    (deep / "a.csv").write_text("9,x\n")
    (folder / "a:b.csv").write_text("2,x\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/odd\xff.csv")).write_text("3,x\n")
    (folder / "dangling.csv").symlink_to(folder / "absent")
    (folder / "circle.csv").symlink_to(folder / "circle.csv")
    os.mkfifo(folder / "fifo.csv")
    told = session.sql("ALTER PIPE p REFRESH").fetchall()
    assert Counter(row[1] for row in told) == {"LOADED": 1, "LOAD_FAILED": 6}
    assert refresh(session) == {}
    assert session.run_pipes() == {"main.public.p": 0}
    told = status(session)
    assert (told["executionState"], told["pendingFileCount"]) == ("RUNNING", 0)
    query = "TABLE(INFORMATION_SCHEMA.COPY_HISTORY('t', '2000-01-01'))"
    reasons = {
        row[0].rpartition("/")[2]: row[1]
        for row in session.sql(
            f"SELECT file_name, first_error_message FROM {query} WHERE status <> 'Loaded'"
        ).fetchall()
    }
    assert "has a name that Spark does not open" in reasons["a:b.csv"]
    assert "has a name that Spark does not open" in reasons["odd\\xff.csv"]
    assert "is a link that leads to nothing" in reasons["dangling.csv"]
    assert "Too many levels of symbolic links" in reasons["circle.csv"]
    assert "is no file of data" in reasons["fifo.csv"]
    assert sum("more than 2,048 characters" in reason for reason in reasons.values()) == 1
    # mended, they are loaded
    (folder / "a:b.csv").rename(folder / "ab.csv")
    (folder / "absent").write_text("4,x\n")
    assert refresh(session) == {"ab.csv": "LOADED", "absent": "LOADED"}
    assert ids(session) == Counter([1, 2, 4])


def test_json_files_fill_a_variant(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    session.sql("CREATE TABLE docs (doc VARIANT)")
    session.sql(f"CREATE PIPE p AS COPY INTO docs FROM '{folder}' FILE_FORMAT = (TYPE = JSON)")
    (folder / "a.json").write_text('{"a": 1}\n{"a": 2}\n')
    (folder / "b.json").write_text('{"a": 3}\n{"a": \n')
    assert refresh(session) == {"a.json": "LOADED", "b.json": "LOAD_FAILED"}
    found = session.sql("SELECT doc:a::INT FROM docs").fetchall()
    assert sorted(found) == [(1,), (2,)]


def test_a_query_that_fails_for_a_record_fails_its_file(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    session.sql(TABLE)
    session.sql(f"CREATE STAGE s URL = '{folder}'")
    session.sql("CREATE PIPE p AS COPY INTO t FROM (SELECT 10 / $1, UPPER($2) FROM @s)")
    (folder / "a.csv").write_text("5,x\n")
    (folder / "b.csv").write_text("0,x\n")
    assert refresh(session) == {"a.csv": "LOADED", "b.csv": "LOAD_FAILED"}
    assert session.sql("SELECT * FROM t").fetchall() == [(2, "X")]


def test_a_pipe_paused_meanwhile_stops_between_batches(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, other = lake.open(), lake.open()
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", *range(4))
    monkeypatch.setattr(pipe_runs, "_BATCH_FILES", 2)
    load = pipe_batches.PipeBatches.load

    def load_and_pause(*arguments: Any) -> None:
        load(*arguments)
        other.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")

    monkeypatch.setattr(pipe_batches.PipeBatches, "load", load_and_pause)
    assert Counter(refresh(session).values()) == {"LOADED": 2, "QUEUED": 2}
    told = status(session)
    assert (told["executionState"], told["pendingFileCount"]) == ("PAUSED", 2)
    monkeypatch.undo()
    session.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = FALSE")
    assert session.run_pipes() == {"main.public.p": 2}
    assert ids(session) == Counter(range(4))


def failing(
    monkeypatch: pytest.MonkeyPatch, fails: Callable[[set[str]], Callable[[], object] | None]
) -> list[int]:
    """Run Java, instead of a load, to fail where `fails` says so; return the sizes of the loads."""
    load, sizes = pipe_batches.load_files, []

    def load_or_fail(core: Any, *arguments: Any) -> Any:
        names = {Path(file.path).name for file in arguments[-1]}
        sizes.append(len(names))
        fail = fails(names)
        if fail is not None:
            with translated(core.spark):
                fail()
        return load(core, *arguments)

    monkeypatch.setattr(pipe_batches, "load_files", load_or_fail)
    return sizes


def ending_memory(session: Session) -> Callable[[], None]:
    """Return what asks Java for an array that is larger than any memory."""
    java = session.spark._jvm.java.lang

    def end_memory() -> None:
        java.reflect.Array.newInstance(java.Long.TYPE, 2**31 - 1)

    return end_memory


def test_files_that_lack_memory_together_are_loaded_apart(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", *range(8))
    end_memory = ending_memory(session)
    sizes = failing(monkeypatch, lambda names: end_memory if len(names) > 2 else None)
    assert set(refresh(session).values()) == {"LOADED"}
    assert sizes == [8, 4, 2, 2, 4, 2, 2]
    assert ids(session) == Counter(range(8))


def test_a_file_that_alone_lacks_memory_fails_once_and_holds_no_other_up(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", *range(4))
    end_memory = ending_memory(session)
    sizes = failing(monkeypatch, lambda names: end_memory if "2.csv" in names else None)
    assert Counter(refresh(session).values()) == {"LOADED": 3, "LOAD_FAILED": 1}
    # once more alone: others may have had the memory
    assert sizes == [4, 2, 2, 1, 1, 1]
    query = "TABLE(INFORMATION_SCHEMA.COPY_HISTORY('t', '2000-01-01')) WHERE status = 'Load failed'"
    [[name, reason]] = session.sql(f"SELECT file_name, first_error_message FROM {query}").fetchall()
    assert name.endswith("2.csv")
    assert reason.startswith("Spark has not enough memory")
    assert refresh(session) == {}
    assert ids(session) == Counter([0, 1, 3])


def test_a_file_is_not_skipped_for_a_failure_that_passes(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", 1, 2)
    java = session.spark._jvm.java
    left = ["io.EOFException"] * 2

    def fail() -> None:
        reason = java.io.EOFException("Unexpected end of input stream")
        read = java.lang.RuntimeException("[FAILED_READ_FILE.NO_HINT] /in/a.csv", reason)
        java.util.concurrent.CompletableFuture.failedFuture(read).join()

    def load(core: Any, *_arguments: Any) -> None:
        with translated(core.spark):
            fail()

    # as a storage whose client says nothing of the storage, for two attempts
    monkeypatch.setattr(
        file_loads,
        "_write",
        lambda *arguments: load(*arguments) if left and left.pop() else WRITE(*arguments),
    )
    assert refresh(session) == {"1.csv": "LOADED", "2.csv": "LOADED"}
    assert ids(session) == Counter([1, 2])


def test_a_failure_of_no_value_leaves_the_file_and_names_it(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", *range(4))
    java = session.spark._jvm.java

    def fail() -> None:
        failed = java.lang.IllegalStateException("nobody knows why")
        java.util.concurrent.CompletableFuture.failedFuture(failed).join()

    failing(monkeypatch, lambda names: fail if "2.csv" in names else None)
    with pytest.raises(QueryError, match=r"2[.]csv' is left for the next run: nobody knows why"):
        refresh(session)
    assert ids(session) == Counter([0, 1, 3])
    assert status(session)["pendingFileCount"] == 1
    monkeypatch.undo()
    assert refresh(session) == {"2.csv": "LOADED"}
    assert ids(session) == Counter(range(4))


def test_a_pipe_dropped_or_replaced_meanwhile_ends(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, other = lake.open(), lake.open()
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", *range(4))
    load = pipe_batches.load_files

    def load_and_drop(*arguments: Any) -> Any:
        loaded = load(*arguments)
        other.sql("DROP PIPE IF EXISTS p")
        return loaded

    monkeypatch.setattr(pipe_batches, "load_files", load_and_drop)
    with pytest.raises((ObjectNotFound, Conflict)):
        session.sql("ALTER PIPE p REFRESH")
    assert ids(session) == Counter()
    session.sql("UNDROP PIPE p")
    monkeypatch.undo()
    assert session.run_pipes() == {"main.public.p": 4}


def test_a_table_replaced_meanwhile_gets_no_rows(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, other = lake.open(), lake.open()
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", 1)
    load = pipe_batches.load_files

    def load_and_replace(*arguments: Any) -> Any:
        loaded = load(*arguments)
        other.sql(TABLE.replace("CREATE", "CREATE OR REPLACE"))
        return loaded

    monkeypatch.setattr(pipe_batches, "load_files", load_and_replace)
    with pytest.raises(PipeBroken, match="was dropped or replaced"):
        session.sql("ALTER PIPE p REFRESH")
    assert ids(session) == Counter()


def test_a_writer_of_the_table_does_not_make_a_batch_run_again(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: list[Event]
) -> None:
    session, other = lake.open(), lake.open()
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", 1, 2)
    load = pipe_batches.load_files

    def load_and_insert(*arguments: Any) -> Any:
        loaded = load(*arguments)
        other.sql("INSERT INTO t VALUES (7, 'other')")
        return loaded

    monkeypatch.setattr(pipe_batches, "load_files", load_and_insert)
    refresh(session)
    assert ids(session) == Counter([1, 2, 7])
    assert "StatementRerun" not in {type(event).__name__ for event in taken}


def test_names_of_a_pipe_mean_no_temporary_tables(session: Session, tmp_path: Path) -> None:
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", 1)
    session.sql("CREATE TEMPORARY TABLE t (id INT, v VARCHAR)")
    assert refresh(session) == {"1.csv": "LOADED"}
    assert ids(session) == Counter()
    session.sql("DROP TABLE t")
    assert ids(session) == Counter([1])
    session.sql("CREATE TEMPORARY TABLE mine (id INT)")
    with pytest.raises(DefinitionRefused, match="is temporary, and a pipe"):
        session.sql(f"CREATE PIPE q AS COPY INTO mine FROM '{tmp_path}/in'")


def test_texts_of_files_are_read_in_the_time_zone_of_the_pipe(lake: Lake, tmp_path: Path) -> None:
    session, other = lake.open(), lake.open()
    folder = tmp_path / "in"
    folder.mkdir()
    session.sql("CREATE TABLE times (at TIMESTAMP_LTZ)")
    session.sql("ALTER SESSION SET TIMEZONE = 'Asia/Tokyo'")
    session.sql(f"CREATE PIPE p AS COPY INTO times FROM '{folder}'")
    (folder / "a.csv").write_text("2024-01-01 09:00:00\n")
    refresh(other)
    assert str(other.sql("SELECT at FROM times").fetchall()[0][0]) == "2024-01-01 00:00:00+00:00"


def test_pipes_run_in_the_background(lake: Lake, tmp_path: Path) -> None:
    session, folder = lake.open(), tmp_path / "in"
    make_pipe(session, folder)
    session.sql(f"CREATE PIPE asked AS COPY INTO t FROM '{folder}' PATTERN = 'by hand.*'")
    ended = threading.Event()
    job = start_background_pipes(lake.database(), lake.open, ended, 0.2)
    try:
        write(folder, 1, 2)
        wait_until(lambda: ids(session) == Counter([1, 2]), 60)
        # the queue of a pipe without AUTO_INGEST is loaded, and nothing else of its place
        session.sql("ALTER PIPE asked SET PIPE_EXECUTION_PAUSED = TRUE")
        session.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE")
        (folder / "by hand.csv").write_text("3,x\n")
        assert refresh(session, "asked") == {"by hand.csv": "QUEUED"}
        (folder / "by hand too.csv").write_text("4,x\n")
        session.sql("ALTER PIPE asked SET PIPE_EXECUTION_PAUSED = FALSE")
        wait_until(lambda: ids(session) == Counter([1, 2, 3]), 60)
    finally:
        ended.set()
        job.stop()


def test_connect_runs_pipes_by_itself(tmp_path: Path, spark: Any) -> None:
    folder = tmp_path / "in"
    with icemelt.connect(tmp_path / "lake", spark=spark, maintain_every=0.5) as session:
        make_pipe(session, folder)
        write(folder, 1)
        wait_until(lambda: ids(session) == Counter([1]), 60)


def test_a_pipe_that_cannot_run_holds_no_other_up(session: Session, tmp_path: Path) -> None:
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", 1)
    session.sql(f"CREATE PIPE absent AUTO_INGEST = TRUE AS COPY INTO t FROM '{tmp_path}/absent'")
    assert session.run_pipes() == {"main.public.p": 1}
    assert status(session, "absent")["executionState"] == "STALLED_EXECUTION_ERROR"
    with pytest.raises(LoadFailed, match="There is no file"):
        session.sql("ALTER PIPE absent REFRESH")


def test_a_dropped_schema_takes_its_pipes_along(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE SCHEMA other")
    make_pipe(session, tmp_path / "in")
    write(tmp_path / "in", 1)
    session.sql("DROP SCHEMA other")
    assert session.run_pipes() == {}
    session.sql("UNDROP SCHEMA other")
    assert session.run_pipes() == {"main.other.p": 1}
