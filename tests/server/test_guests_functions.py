"""Functions that a server's guests make and call: no more than a guest's own SQL may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest

from icemelt.errors import FunctionNotFound, ObjectNotFound
from icemelt.session.session import Session

HOME = "reflect('java.lang.System', 'getProperty', 'user.home')"
THREE = "a VARCHAR, b VARCHAR, c VARCHAR"
DROP = "DROP FUNCTION reflect(VARCHAR, VARCHAR, VARCHAR)"


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[HostAndGuest]:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    with open_host_and_guest(session, tmp_path) as opened:
        yield opened


def test_an_expression_calls_only_functions_that_guests_may_call(server: HostAndGuest) -> None:
    body = HOME.replace("'", "''")
    for session in (server.guest, server.host):
        with pytest.raises(FunctionNotFound):
            session.sql(f"CREATE FUNCTION f() RETURNS VARCHAR AS '{body}'")
    server.guest.sql("CREATE FUNCTION f(a VARCHAR) RETURNS VARCHAR AS 'UPPER(a)'")
    for session in (server.guest, server.host):
        assert session.sql("SELECT f(v) FROM t").fetchall() == [("A",)]


def test_a_function_of_sparks_name_leaves_no_call_to_spark(server: HostAndGuest) -> None:
    body = HOME.replace("'", "''")
    server.guest.sql(f"CREATE FUNCTION reflect({THREE}) RETURNS VARCHAR AS 'a'")
    server.guest.sql(f"CREATE FUNCTION f() RETURNS VARCHAR AS '{body}'")
    server.guest.sql(f"CREATE VIEW w AS SELECT {HOME} AS home FROM t")
    assert server.host.sql("SELECT f(), home FROM w").fetchall() == [("java.lang.System",) * 2]
    server.guest.sql(DROP)
    with pytest.raises(FunctionNotFound):
        server.host.sql("SELECT f()")
    with pytest.raises(ObjectNotFound):
        server.host.sql("SELECT * FROM w")
    # nor does another object of the function's name
    server.guest.sql('CREATE TABLE "reflect(varchar, varchar, varchar)" ("returns" VARCHAR)')
    with pytest.raises(ObjectNotFound):
        server.host.sql("SELECT * FROM w")
