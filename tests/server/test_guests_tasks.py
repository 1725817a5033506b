"""Tasks of a server's guests: a body has the rights of who wrote it, whoever alters the task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest

from icemelt.catalog.defined_records import TaskRecord
from icemelt.catalog.queries.finding import find_defined
from icemelt.errors import DefinitionRefused
from icemelt.session.session import Session, core_of


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
