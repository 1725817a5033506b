"""Tasks of a server's guests: a body has the rights of who wrote it, whoever alters the task."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest
from session.task_runs import execute, history, wait_until_idle

from icemelt.catalog.defined_records import TaskRecord
from icemelt.catalog.queries.finding import find_defined
from icemelt.catalog.schedulers import SchedulerName, end_scheduler, report_scheduler
from icemelt.catalog.task_runs import apply_task_event
from icemelt.errors import DefinitionRefused
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session, core_of
from icemelt.tasks.events import RunClaimed, RunEnded
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState

URL = "https://hooks.example.com/secret?token=abc"
WEBHOOK_OPTIONS = frozenset({"ERROR_INTEGRATION", "SUCCESS_INTEGRATION"})


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


def test_a_body_is_of_who_wrote_it(server: HostAndGuest) -> None:
    """The author of the body is who alters it, not who made the task."""

    def author_of(name: str) -> str:
        return task_of(server, name).author

    user = core_of(server.host).user
    server.host.sql("CREATE TASK t AS SELECT 1")
    assert author_of("t") == user
    for body in ("ALTER TASK t MODIFY AS SELECT 2", "CREATE OR ALTER TASK t AS SELECT 3"):
        server.guest.sql(body)
        task = task_of(server, "t")
        assert (task.owner, task.author, task.in_graph.client) == (user, "ann", "ann")
        server.host.sql("ALTER TASK t SET COMMENT = 'still the body of ann'")
        server.host.sql("CREATE OR ALTER TASK t AS " + task.body)
        assert author_of("t") == "ann"
        server.host.sql("ALTER TASK t MODIFY AS SELECT 4")
        task = task_of(server, "t")
        assert (task.author, task.in_graph.client) == (user, None)
    server.guest.sql("CREATE OR REPLACE TASK t AS SELECT 4")
    assert author_of("t") == "ann"
    server.host.sql("CREATE OR REPLACE TASK t AS SELECT 4")
    assert author_of("t") == user


def test_a_clone_of_a_guest_is_the_guests_and_a_clone_of_the_host_is_the_authors(
    server: HostAndGuest,
) -> None:
    server.guest.sql("CREATE TASK own AS SELECT 1")
    server.host.sql("CREATE TASK of_host CLONE own")
    clone = task_of(server, "of_host")
    assert (clone.owner, clone.in_graph.client) == (core_of(server.host).user, "ann")
    server.host.sql("CREATE TASK theirs AS SELECT 1")
    with open_guest(server.host, "bob", [str(server.place)]) as bob:
        for source in ("own", "theirs"):
            bob.sql(f"CREATE TASK bobs_{source} CLONE {source}")
            assert task_of(server, f"bobs_{source}").in_graph.client == "bob"
    server.host.sql("DROP TASK theirs")
    server.host.sql("CREATE SCHEMA of_host CLONE public")
    with core_of(server.host).database.read() as connection:
        tasks = find_defined(connection, TaskRecord, within=(None, "of_host"))
    clients = {task.name.name: task.in_graph.client for task in tasks}
    assert clients == {"own": "ann", "of_host": "ann", "bobs_own": "bob", "bobs_theirs": "bob"}


def test_a_body_that_a_guest_wrote_runs_as_the_guest_in_a_task_of_the_host(
    server: HostAndGuest,
) -> None:
    """It reads no file and no history that the guest may not; each run has the body that it has."""
    server.host.sql("CREATE TABLE seen (v VARCHAR)")
    server.host.sql("CREATE TABLE files (a INT, b VARCHAR)")
    server.host.sql("CREATE TASK t AS INSERT INTO seen SELECT CURRENT_USER()")
    execute(server.host, "t")
    users = "SELECT DISTINCT user_name FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY())"
    bodies = (
        f"BEGIN INSERT INTO seen SELECT CURRENT_USER(); INSERT INTO seen {users}; END",
        f"COPY INTO files FROM '{server.secret}/s.csv'",
    )
    with server.host.scheduler():
        wait_until_idle(server.host, "t")
        for body in bodies:
            server.guest.sql(f"ALTER TASK t MODIFY AS {body}")
            execute(server.host, "t")
            wait_until_idle(server.host, "t")
    runs = [(row[2], row[3]) for row in history(server.host, "t")]
    assert runs == [("SUCCEEDED", None), ("SUCCEEDED", None), ("FAILED", "file-refused")]
    seen = server.host.sql("SELECT v FROM seen").fetchall()
    assert sorted(seen) == sorted([(core_of(server.host).user,), ("ann",), ("ann",)])


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


@pytest.mark.parametrize("option", ["ERROR_INTEGRATION", "SUCCESS_INTEGRATION"])
def test_a_guest_takes_no_webhook_away(server: HostAndGuest, option: str) -> None:
    host, guest = server.host, server.guest
    host.sql(f"CREATE TASK t SCHEDULE = '1 HOUR' {option} = '{URL}' AS SELECT 1")
    with pytest.raises(DefinitionRefused, match=option):
        guest.sql(f"ALTER TASK t UNSET {option}")
    for statement in (
        "ALTER TASK t SET CONFIG = '{}'",
        "ALTER TASK t MODIFY AS SELECT 2",
        "CREATE OR ALTER TASK t AS SELECT 3",
        "CREATE OR REPLACE TASK t AS SELECT 4",
        "CREATE TASK u AS SELECT 1",
        "CREATE OR REPLACE TASK t CLONE u",
        "DROP TASK t",
        "UNDROP TASK t",
    ):
        guest.sql(statement)
        if not statement.startswith("DROP"):
            assert task_of(server, "t").options[option] == URL, statement
    host.sql("CREATE TASK above AS SELECT 1")
    with pytest.raises(DefinitionRefused, match="only the root has one"):
        guest.sql("CREATE OR REPLACE TASK t AFTER above AS SELECT 1")
    host.sql(f"ALTER TASK t UNSET {option}")
    assert option not in task_of(server, "t").options


def test_a_clone_of_a_guest_calls_no_webhook_of_who_runs_the_server(server: HostAndGuest) -> None:
    host, guest = server.host, server.guest
    host.sql(f"CREATE TASK t SCHEDULE = '1 HOUR' ERROR_INTEGRATION = '{URL}' AS SELECT 1")
    host.sql(f"CREATE TASK u ERROR_INTEGRATION = '{URL}' SUCCESS_INTEGRATION = '{URL}' AS SELECT 1")
    left_out = "The clone of task 'main.public.t' is without ERROR_INTEGRATION"
    assert left_out in str(guest.sql("CREATE TASK v CLONE t").notice)
    assert not WEBHOOK_OPTIONS & task_of(server, "v").options.keys()
    [(_, notice)] = guest.sql("CREATE SCHEMA cloned CLONE public").fetchall()
    assert left_out in notice
    assert "'main.public.u' is without ERROR_INTEGRATION and SUCCESS_INTEGRATION" in notice
    with core_of(host).database.read() as connection:
        cloned = find_defined(connection, TaskRecord, within=(None, "cloned"))
    assert [task.name.name for task in cloned if WEBHOOK_OPTIONS & task.options.keys()] == []

    assert host.sql("CREATE TASK w CLONE t").notice is None
    assert task_of(server, "w").options["ERROR_INTEGRATION"] == URL


def test_a_guest_sees_of_a_webhook_the_machine_alone(server: HostAndGuest) -> None:
    host, guest = server.host, server.guest
    host.sql(
        f"CREATE TASK t SCHEDULE = '1 HOUR' ERROR_INTEGRATION = '{URL}' "
        f"SUCCESS_INTEGRATION = '{URL}' AS SELECT 1"
    )
    asked = "SELECT error_integration, success_integration FROM INFORMATION_SCHEMA.TASKS"
    guest.sql(f"CREATE VIEW spying AS {asked}")
    shown = "https://hooks.example.com/…"
    for session in (host, guest):
        # whoever reads the view of a guest may write what is in it where the guest reads
        assert session.sql("SELECT * FROM spying").fetchall() == [(shown, shown)]
    for statement in ("SHOW TASKS", "DESC TASK t", "SELECT GET_DDL('TASK', 't')", asked):
        said = str(guest.sql(statement).fetchall())
        assert "secret" not in said, statement
        assert "token" not in said, statement
    for statement in ("SHOW TASKS", "DESC TASK t", "SELECT GET_DDL('TASK', 't')"):
        assert str(host.sql(statement).fetchall()).count(URL) == 2, statement


def test_a_definition_that_a_guest_gets_keeps_the_webhooks(server: HostAndGuest) -> None:
    server.host.sql(f"CREATE TASK t SCHEDULE = '1 HOUR' ERROR_INTEGRATION = '{URL}' AS SELECT 1")
    [(definition,)] = server.guest.sql("SELECT GET_DDL('TASK', 't')").fetchall()
    assert definition == (
        "CREATE OR REPLACE TASK main.public.t SCHEDULE = '1 HOUR' "
        "/* ERROR_INTEGRATION is set by who runs the server */ AS SELECT 1"
    )
    server.guest.sql(definition)
    assert task_of(server, "t").options["ERROR_INTEGRATION"] == URL


def test_the_history_has_the_guest_who_stopped_a_task(server: HostAndGuest) -> None:
    server.host.sql("CREATE TASK t SCHEDULE = '1 HOUR' AS SELECT 1")
    statements = ["ALTER TASK t RESUME", "ALTER TASK t SUSPEND", "ALTER TASK t MODIFY AS SELECT 2"]
    for statement in (*statements, "DROP TASK t"):
        server.guest.sql(statement)
    found = server.host.sql(
        "SELECT query_text FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY_BY_USER(USER_NAME => 'ann'))"
    ).fetchall()
    assert sorted(text for (text,) in found) == sorted([*statements, "DROP TASK t"])


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
    said = "scheduler: never seen. Tasks wait until one runs: `icemelt scheduler`."
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
