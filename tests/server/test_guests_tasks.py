"""Tasks of a server's guests: a body has the rights of who wrote it, whoever alters the task."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest

from icemelt.catalog.defined_records import TaskRecord
from icemelt.catalog.queries.finding import find_defined
from icemelt.catalog.schedulers import SchedulerName, end_scheduler, report_scheduler
from icemelt.catalog.task_runs import apply_task_event
from icemelt.errors import DefinitionRefused
from icemelt.session.session import Session, core_of
from icemelt.tasks.events import RunClaimed, RunEnded
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[HostAndGuest]:
    with open_host_and_guest(session, tmp_path) as opened:
        yield opened


def task_of(server: HostAndGuest, name: str) -> TaskRecord:
    """Return the task with an own name."""
    with core_of(server.host).database.read() as connection:
        [task] = [t for t in find_defined(connection, TaskRecord) if t.name.name == name]
    return task


def places_of_guest(server: HostAndGuest) -> tuple[str, ...]:
    """Return the places of the guest, as tasks of the guest have them."""
    locations = core_of(server.guest).reach.locations
    assert locations is not None
    return locations


def test_a_body_has_the_rights_of_who_wrote_it(server: HostAndGuest) -> None:
    server.guest.sql("CREATE TASK t SCHEDULE = '1 HOUR' AS SELECT 1")
    assert (task_of(server, "t").owner, task_of(server, "t").run_within) == (
        "ann",
        places_of_guest(server),
    )

    for statement in ("RESUME", "SUSPEND", "SET CONFIG = '{}'", "MODIFY WHEN 1 = 1"):
        server.host.sql(f"ALTER TASK t {statement}")
        assert task_of(server, "t").run_within == places_of_guest(server)
    server.host.sql("CREATE OR ALTER TASK t AS SELECT 1")
    assert task_of(server, "t").run_within == places_of_guest(server)

    server.host.sql("ALTER TASK t MODIFY AS SELECT 2")
    assert task_of(server, "t").run_within is None
    server.guest.sql("CREATE OR ALTER TASK t SCHEDULE = '1 HOUR' AS SELECT 2")
    assert task_of(server, "t").run_within is None
    server.guest.sql("ALTER TASK t MODIFY AS SELECT 3")
    assert task_of(server, "t").run_within == places_of_guest(server)
    server.host.sql("CREATE OR ALTER TASK t AS SELECT 4")
    assert task_of(server, "t").run_within is None
    server.guest.sql("CREATE OR ALTER TASK t AS SELECT 5")
    assert task_of(server, "t").run_within == places_of_guest(server)


def test_a_clone_has_the_rights_of_its_source_and_of_who_clones_it(server: HostAndGuest) -> None:
    server.host.sql("CREATE TASK theirs AS SELECT 1")
    server.guest.sql("CREATE TASK own AS SELECT 1")
    server.guest.sql("CREATE TASK of_guest CLONE theirs")
    server.host.sql("CREATE TASK of_host CLONE own")
    assert task_of(server, "of_guest").run_within == places_of_guest(server)
    assert task_of(server, "of_host").run_within == places_of_guest(server)

    server.guest.sql("CREATE SCHEMA cloned CLONE public")
    with core_of(server.host).database.read() as connection:
        within = {
            t.run_within for t in find_defined(connection, TaskRecord, within=(None, "cloned"))
        }
    assert within == {places_of_guest(server)}


def test_a_restored_task_has_the_rights_that_it_had(server: HostAndGuest) -> None:
    server.guest.sql("CREATE TASK own AS SELECT 1")
    server.guest.sql("DROP TASK own")
    server.host.sql("UNDROP TASK own")
    assert task_of(server, "own").run_within == places_of_guest(server)


@pytest.mark.parametrize("option", ["ERROR_INTEGRATION", "SUCCESS_INTEGRATION"])
def test_a_guest_names_no_webhook(server: HostAndGuest, option: str) -> None:
    url = "http://169.254.169.254/latest"
    with pytest.raises(DefinitionRefused, match=option):
        server.guest.sql(f"CREATE TASK t {option} = '{url}' AS SELECT 1")
    server.guest.sql("CREATE TASK t AS SELECT 1")
    with pytest.raises(DefinitionRefused, match=option):
        server.guest.sql(f"ALTER TASK t SET {option} = '{url}'")
    server.host.sql(f"ALTER TASK t SET {option} = 'https://hooks.example.com/t'")
    assert task_of(server, "t").options[option] == "https://hooks.example.com/t"


def test_a_guest_sees_runs_without_the_folders_of_the_server(server: HostAndGuest) -> None:
    server.host.sql("CREATE TASK t AS SELECT 1")
    server.guest.sql("EXECUTE TASK t")
    database, root_id = core_of(server.host).database, task_of(server, "t").object_id
    with database.write_unordered() as connection:
        claim = RunClaimed(1, "t", "server", timedelta(minutes=1))
        apply_task_event(connection, database.clock, root_id, claim)
        error = RunError("file-damaged", f"File '{database.warehouse}/x/y.csv'.")
        end = RunEnded(1, "t", 1, RunState.FAILED, error)
        apply_task_event(connection, database.clock, root_id, end)
    for query in (
        "SELECT error_message FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY())",
        "SELECT first_error_message FROM TABLE(INFORMATION_SCHEMA.COMPLETE_TASK_GRAPHS())",
    ):
        assert server.guest.sql(query).fetchall() == [("File '…/y.csv'.",)]
        assert server.host.sql(query).fetchall() == [(error.message,)]


def test_a_statement_tells_whether_a_scheduler_is_alive(server: HostAndGuest) -> None:
    server.host.sql("CREATE TASK t SCHEDULE = '1 HOUR' AS SELECT 1")
    assert server.guest.sql("SHOW TASKS").notice is None
    said = "scheduler: never seen. Tasks wait until one runs."
    for statement in ("ALTER TASK t RESUME", "EXECUTE TASK t", "SHOW TASKS"):
        assert server.guest.sql(statement).notice == said
    database = core_of(server.host).database
    report_scheduler(database, SchedulerName("id", "server", "host", 1), 60)
    assert server.guest.sql("SHOW TASKS").notice is None
    end_scheduler(database, "id")
    notice = server.guest.sql("SHOW TASKS").notice
    assert notice is not None
    assert notice.startswith("scheduler: last seen 20")
    queued = server.guest.sql("EXECUTE TASK t").notice
    again = server.guest.sql("EXECUTE TASK t").notice
    assert queued == notice
    assert again == (
        f"A run of task t waits already for the one under way; this statement adds none. {notice}"
    )
