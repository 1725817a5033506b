"""What a transaction asks of the catalog and of Java: more is milliseconds of every transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa
from py4j.clientserver import ClientServerConnection

from icemelt import Session

# BEGIN and COMMIT of SQL included: a read or a write transaction is one statement more
_BEGIN, _INSERT, _COMMIT = 11, 25, 18
_JAVA_CALLS = 60
_FORGET_OBJECT = "m\n"


@dataclass
class Costs:
    """The statements that the catalog's database got, those that were built, and calls of Java."""

    texts: list[str] = field(default_factory=list)
    built: list[sa.Executable] = field(default_factory=list)
    java: list[str] = field(default_factory=list)


@contextmanager
def noted_costs(session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Costs]:
    """Note what a block costs."""
    engine, costs = session._core.database.engine, Costs()
    send = ClientServerConnection.send_command

    def note_text(_connection: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        costs.texts.append(text)

    def note_built(_connection: Any, statement: sa.Executable, *_rest: Any) -> None:
        costs.built.append(statement)

    def send_noted(connection: Any, command: str, *rest: Any) -> Any:
        if not command.startswith(_FORGET_OBJECT):
            costs.java.append(command)
        return send(connection, command, *rest)

    sa.event.listen(engine, "before_cursor_execute", note_text)
    sa.event.listen(engine, "before_execute", note_built)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(ClientServerConnection, "send_command", send_noted)
            yield costs
    finally:
        sa.event.remove(engine, "before_cursor_execute", note_text)
        sa.event.remove(engine, "before_execute", note_built)


@pytest.fixture
def consumer(session: Session) -> Session:
    session.execute_script(
        "CREATE TABLE source (id INT, v VARCHAR); CREATE TABLE sink (id INT, v VARCHAR);"
        "CREATE STREAM s ON TABLE source"
    )
    consume(session)
    return session


def consume(session: Session) -> None:
    session.sql("INSERT INTO source VALUES (1, 'x')")
    session.execute_script("BEGIN; INSERT INTO sink SELECT id, v FROM s; COMMIT")


def test_a_transaction_asks_the_catalog_and_java_few_times(
    consumer: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    consumer.sql("INSERT INTO source VALUES (2, 'y')")
    transaction = consumer.transaction()
    with noted_costs(consumer, monkeypatch) as begin:
        transaction.__enter__()
    with noted_costs(consumer, monkeypatch) as insert:
        consumer.sql("INSERT INTO sink SELECT id, v FROM s")
    with noted_costs(consumer, monkeypatch) as commit:
        transaction.__exit__(None, None, None)
    counts = [len(costs.texts) for costs in (begin, insert, commit)]
    assert counts == [_BEGIN, _INSERT, _COMMIT], [*begin.texts, *insert.texts, *commit.texts]
    assert len([*begin.java, *insert.java, *commit.java]) <= _JAVA_CALLS, insert.java
    clocks = [sum("julianday" in text for text in costs.texts) for costs in (begin, insert, commit)]
    assert clocks == [1, 3, 1]
    assert consumer.sql("SELECT count(*) FROM sink").fetchall() == [(2,)]


def test_no_statement_of_a_transaction_is_built_twice(
    consumer: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with noted_costs(consumer, monkeypatch) as first:
        consume(consumer)
    with noted_costs(consumer, monkeypatch) as second:
        consume(consumer)
    known = {id(statement) for statement in first.built}
    assert [str(each) for each in second.built if id(each) not in known] == []
    assert len(second.built) == len(first.built) > 0
