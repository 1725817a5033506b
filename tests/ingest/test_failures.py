"""The reason of rows that were not written is Java's deepest cause, without the machine's paths."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from ingest.reaching import embedded

from icemelt.ingest import ChannelInvalid
from icemelt.ingest.writer import table_writer, target
from icemelt.ingest.writer.failures import is_permanent, may_pass_later, reason_of
from icemelt.session.session import Session
from icemelt.spark_java import java_class


def java_error(session: Session, name: str, *arguments: Any) -> Exception:
    """Return the error of a call of Java's, `name` being the class and the method."""
    owner, _, method = name.rpartition(".")
    with pytest.raises(Exception, match=r"occurred while calling|input string") as raised:
        getattr(java_class(session._core.spark, owner), method)(*arguments)
    return raised.value


def test_java_s_cause_is_the_reason(session: Session) -> None:
    path = java_class(session._core.spark, "java.io.File")(f"/tmp/{'x' * 300}").toPath()
    too_long = java_error(session, "java.nio.file.Files.readString", path)
    assert (reason_of(too_long), is_permanent(too_long)) == ("File name too long", True)
    no_number = java_error(session, "java.lang.Integer.parseInt", "seven")
    assert reason_of(no_number) == 'For input string: "seven"'
    assert is_permanent(no_number)
    missing = java_class(session._core.spark, "java.io.File")("/tmp/no such/file").toPath()
    unknown = java_error(session, "java.nio.file.Files.readString", missing)
    # without a message, what is left is the class
    assert (reason_of(unknown), is_permanent(unknown)) == ("NoSuchFileException", False)


def test_rows_wait_for_space_on_the_disk(session: Session) -> None:
    full = java_class(session._core.spark, "java.io.FileWriter")("/dev/full")
    full.write("row")
    with pytest.raises(Exception, match="occurred while calling") as raised:
        full.flush()
    assert (reason_of(raised.value), may_pass_later(raised.value)) == (
        "No space left on device",
        True,
    )


def test_a_reason_has_neither_paths_nor_addresses() -> None:
    task = "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent "
    task += "failure: Lost task 0.0 in stage 1.0 (TID 1) (192.0.2.2 executor driver): "
    cause = "java.io.IOException: Cannot open file:/srv/my lake/t-1/s=7/a.parquet (damaged)"
    assert reason_of(ValueError(f"{task}{cause}\n\tat …")) == (
        "java.io.IOException: Cannot open … (damaged)"
    )
    assert reason_of(ValueError("3/4 of it, and/or none")) == "3/4 of it, and/or none"
    full = OSError(errno.ENOSPC, "No space left on device", "/srv/lake/a.parquet")
    assert (reason_of(full), may_pass_later(full)) == ("No space left on device", True)
    assert reason_of(ValueError()) == "ValueError"


def test_a_value_that_java_refuses_is_tried_once(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons: list[str] = []

    def note(error: Exception) -> str:
        reasons.append(reason_of(error))
        return reasons[-1]

    monkeypatch.setattr(table_writer, "reason_of", note)
    # as if the table was partitioned after the channel was opened
    monkeypatch.setattr(target, "find_partition_rules", lambda _metadata: ())
    session.sql("CREATE TABLE t (d DECIMAL(10, 2)) PARTITION BY (TRUNCATE(10, d))")
    with embedded(session) as client:
        channel = client.open_channel("c", "main", "public", "t")[0]
        channel.append_rows([{"d": "-99999999.99"}])
        with pytest.raises(ChannelInvalid, match=r"Cannot write value as decimal\(10,2\), too l"):
            channel.wait_for_flush(60)
    assert len(reasons) == 1
