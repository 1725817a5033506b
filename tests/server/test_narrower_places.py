"""What guests have left runs within the places of its time, and within those of the server now."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest
from session.body_edits import MARK, make_edits
from session.task_contexts import context_of, find_task

from icemelt.server.run import ServerSettings, open_server
from icemelt.session.hosting import limit_to_locations, open_guest
from icemelt.session.runtime.guest_places import narrow_kept
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.running import run_task_body
from icemelt.tasks.states import RunState

CSV = "FILE_FORMAT = (TYPE = CSV)"
SUCCEEDED, REFUSED = (RunState.SUCCEEDED, None), (RunState.FAILED, "file-refused")
# a run's id is a part of the ids of its statements, each of which the history accepts once
RUN_IDS = itertools.count(1)


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[HostAndGuest]:
    with open_host_and_guest(session, tmp_path) as opened:
        for folder in ("ann", "bob"):
            (opened.place / folder).mkdir()
            (opened.place / folder / "a.csv").write_text(f"{folder}\n")
        opened.host.sql(f"CREATE SCHEMA {MARK}")
        opened.host.sql("USE SCHEMA public")
        opened.host.sql("CREATE TABLE t (v VARCHAR)")
        yield opened


def run(server: HostAndGuest, name: str) -> tuple[RunState, str | None]:
    """Run the body of a task as a scheduler of the host does; return the state and the error."""
    context = context_of(find_task(server.host, name), run_id=next(RUN_IDS))
    outcome = run_task_body(core_of(server.host), context, make_edits(server.host))
    return outcome.state, None if outcome.error is None else outcome.error.code


def values(server: HostAndGuest) -> list[str]:
    return sorted(v for (v,) in server.host.sql("SELECT v FROM t").fetchall())


def test_a_body_reads_within_the_places_of_its_time_and_of_now(server: HostAndGuest) -> None:
    for folder in ("ann", "bob"):
        copy = f"COPY INTO t FROM '{server.place / folder}' {CSV}"
        server.guest.sql(f"CREATE TASK {folder} AS {copy}")
    limit_to_locations(server.host, [str(server.place / "ann"), str(server.secret)])
    assert run(server, "ann") == SUCCEEDED
    assert run(server, "bob") == REFUSED
    assert values(server) == ["ann"]
    # what the server allows besides by now was never the guest's
    server.guest.sql(f"CREATE TASK more AS COPY INTO t FROM '{server.secret}' {CSV}")
    assert run(server, "more") == REFUSED
    limit_to_locations(server.host, [])
    assert run(server, "ann") == REFUSED
    limit_to_locations(server.host, [str(server.place)])
    assert run(server, "bob") == SUCCEEDED
    assert values(server) == ["ann", "bob"]


def test_a_body_of_who_runs_the_server_runs_a_guests_pipe_within_the_limit(
    server: HostAndGuest,
) -> None:
    copy = f"COPY INTO t FROM '{server.place / 'bob'}' {CSV}"
    server.guest.sql(f"CREATE PIPE bob AS {copy}")
    server.host.sql("CREATE TASK own AS ALTER PIPE bob REFRESH")
    limit_to_locations(server.host, [str(server.place / "ann")])
    assert run(server, "own") == REFUSED
    assert values(server) == []


def test_pipes_and_listings_of_a_guest_are_narrowed_too(server: HostAndGuest) -> None:
    place = server.place / "bob"
    server.guest.sql(f"CREATE PIPE p AUTO_INGEST = TRUE AS COPY INTO t FROM '{place}' {CSV}")
    server.guest.sql(
        f"CREATE STAGE s URL = '{place}' DIRECTORY = (ENABLE = TRUE AUTO_REFRESH = TRUE)"
    )
    (place / "b.csv").write_text("more\n")
    limit_to_locations(server.host, [str(server.place / "ann")])
    server.host.run_pipes()
    assert values(server) == []
    assert server.host.refresh_files() == {}
    limit_to_locations(server.host, [str(server.place)])
    server.host.run_pipes()
    assert values(server) == ["bob", "more"]
    assert server.host.refresh_files() == {"main.public.s": 1}


def test_a_server_limits_what_guests_have_left_to_its_locations(
    server: HostAndGuest, tmp_path: Path
) -> None:
    kept = (str(server.place),)
    core = core_of(server.host)
    assert narrow_kept(core, kept).locations == kept
    narrow = str(server.place / "ann")
    settings = ServerSettings(port=0, locations=(narrow,), runs_tasks=False, keys=False)
    with open_server(server.host, settings):
        assert narrow_kept(core, kept).locations == (narrow,)
        with open_guest(server.host, "bob", [narrow]) as guest:
            assert narrow_kept(core_of(guest), kept).locations == (narrow,)
    with open_server(server.host, ServerSettings(port=0, runs_tasks=False, keys=False)):
        assert narrow_kept(core, kept).locations == ()
