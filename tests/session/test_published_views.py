"""Other engines read icemelt's views, as Iceberg views."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

import pytest

from conftest import DAY, ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.session.maintenance import maintain

FOREIGN = "icemelt.main.public"


@pytest.fixture
def session(lake: Lake) -> Session:
    opened = lake.open()
    opened.execute_script(
        """
        CREATE TABLE t (id INT, v VARCHAR);
        INSERT INTO t VALUES (1, 'a'), (2, 'b');
        CREATE VIEW all_of_t (id COMMENT 'first', "V 2") COMMENT = 'shown' AS SELECT * FROM t;
        CREATE VIEW nested AS SELECT "V 2" AS w, count(*) AS n FROM all_of_t GROUP BY ALL
        """
    )
    return opened


def published(session: Session) -> dict[str, str]:
    result = session.sql("SHOW VIEWS")
    place = result.columns.index("is_published")
    return {row[1]: row[place] for row in result.fetchall()}


def test_another_engine_reads_what_icemelt_reads(lake: Lake, session: Session) -> None:
    foreign = lake.foreign()
    session.sql("ALTER TABLE t ADD COLUMN later INT")
    session.sql("INSERT INTO t VALUES (3, 'b', 1)")
    for view in ("all_of_t", "nested"):
        rows = foreign.sql(f"SELECT * FROM {FOREIGN}.{view}").collect()
        assert sorted(map(tuple, rows)) == sorted(session.sql(f"SELECT * FROM {view}").fetchall())
    described = {row[0]: row[2] for row in foreign.sql(f"DESCRIBE {FOREIGN}.all_of_t").collect()}
    assert described["id"] == "first"
    assert {row.viewName for row in foreign.sql(f"SHOW VIEWS IN {FOREIGN}").collect()} == {
        "all_of_t",
        "nested",
    }
    assert published(session) == {"all_of_t": "true", "nested": "true"}


def test_an_altered_view_is_the_same_view_for_others(lake: Lake, session: Session) -> None:
    foreign = lake.foreign()
    assert foreign.sql(f"SELECT * FROM {FOREIGN}.nested").count() == 2
    session.sql("ALTER VIEW nested RENAME TO named_anew")
    session.sql("CREATE OR ALTER VIEW named_anew AS SELECT 'x' AS w, 1 AS n FROM t WHERE id = 1")
    rows = foreign.sql(f"SELECT * FROM {FOREIGN}.named_anew").collect()
    assert [tuple(row) for row in rows] == [("x", 1)]
    # a stream is nothing to other engines: the view is gone for them, and comes back
    session.sql("CREATE STREAM s ON TABLE t")
    session.sql("CREATE OR ALTER VIEW named_anew AS SELECT id FROM s")
    assert published(session)["named_anew"] == "false"
    session.sql("CREATE OR ALTER VIEW named_anew AS SELECT id FROM t")
    assert foreign.sql(f"SELECT * FROM {FOREIGN}.named_anew").count() == 2


def test_a_view_is_gone_for_others_when_it_is_dropped_and_comes_back(
    lake: Lake, session: Session
) -> None:
    foreign = lake.foreign()
    session.sql("ALTER VIEW nested RENAME TO named_anew")
    assert foreign.sql(f"SELECT * FROM {FOREIGN}.named_anew").count() == 2
    session.sql("DROP VIEW named_anew")
    views = f"SHOW VIEWS IN {FOREIGN}"
    assert {row.viewName for row in foreign.sql(views).collect()} == {"all_of_t"}
    session.sql("UNDROP VIEW named_anew")
    assert foreign.sql(f"SELECT * FROM {FOREIGN}.named_anew").count() == 2
    session.sql("CREATE OR REPLACE VIEW all_of_t AS SELECT id FROM t")
    assert foreign.sql(f"SELECT * FROM {FOREIGN}.all_of_t").columns == ["id"]


def test_what_others_cannot_read_is_not_shown_to_them(lake: Lake, session: Session) -> None:
    session.execute_script(
        """
        CREATE STREAM s ON TABLE t;
        CREATE VIEW arrived AS SELECT id FROM s;
        CREATE VIEW of_arrived AS SELECT id FROM arrived;
        CREATE VIEW mine AS SELECT id, CURRENT_USER() AS u FROM t
        """
    )
    session.sql("INSERT INTO t VALUES (9, 'z')")
    assert session.sql("SELECT * FROM of_arrived").fetchall() == [(9,)]
    shown = published(session)
    assert {name for name, is_shown in shown.items() if is_shown == "false"} == {
        "arrived",
        "of_arrived",
        "mine",
    }
    foreign = {row.viewName for row in lake.foreign().sql(f"SHOW VIEWS IN {FOREIGN}").collect()}
    assert foreign == {"all_of_t", "nested"}


def test_files_of_views_go_when_no_undrop_can_bring_them_back(lake: Lake, clock: TestClock) -> None:
    session = lake.open()
    session.execute_script("CREATE TABLE t (id INT); CREATE VIEW v AS SELECT * FROM t; DROP VIEW v")
    folders = Path(session.warehouse.removeprefix("file:"))
    assert [each for each in folders.iterdir() if each.name.startswith("v-")]
    session.maintain()
    session.sql("UNDROP VIEW v")
    session.sql("DROP VIEW v")
    clock.set(DAY + 2 * ONE_DAY)
    assert session.maintain().objects_removed == 1
    assert not [each for each in folders.iterdir() if each.name.startswith("v-")]


def test_what_a_killed_create_view_left_is_removed(lake: Lake, session: Session) -> None:
    [folder] = [each for each in (lake.folder / "warehouse").iterdir() if "nested" in each.name]
    left = folder.with_name(f"v-{uuid.uuid4()}")
    shutil.copytree(folder, left)
    done = maintain(session._core, safe_age=0)
    assert done.unregistered_tables_removed == 1
    assert folder.exists()
    assert not left.exists()
    assert lake.foreign().sql(f"SELECT * FROM {FOREIGN}.nested").count() == 2
