"""A view is expanded once, and both renderings of the expanded view refuse the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from icemelt.errors import IcemeltError
from icemelt.names import QualifiedName
from icemelt.session.session import Session
from icemelt.session.views.expansion import ExpandedView, expand

_DEPTH = 3


def _expand(session: Session, name: str) -> ExpandedView:
    core, full = session._core, QualifiedName("main", "public", name)
    state = core.find([full])
    return expand(core, state, state.views[full])


def _views_under(expanded: ExpandedView) -> Iterator[ExpandedView]:
    yield expanded
    for source in expanded.sources.values():
        if source.view is not None:
            yield from _views_under(source.view)


def test_a_view_that_two_views_read_is_expanded_once(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v INT)")
    session.sql("CREATE VIEW v0 AS SELECT id FROM t")
    for level in range(_DEPTH):
        # two names in each view, so that views meet on two ways
        session.sql(f"CREATE VIEW w{level} AS SELECT id FROM v{level}")
        session.sql(
            f"CREATE VIEW v{level + 1} AS SELECT w{level}.id FROM w{level} JOIN v{level} "
            f"ON w{level}.id = v{level}.id"
        )
    expanded = _expand(session, f"v{_DEPTH}")
    assert expanded.reads == 2**_DEPTH
    ways = list(_views_under(expanded))
    names = {each.view.name for each in ways}
    assert len({id(each) for each in ways}) == len(names) == 2 * _DEPTH + 1


def test_a_column_of_then_has_its_position_now(session: Session) -> None:
    session.sql("CREATE TABLE t (note VARCHAR, id INT, v INT)")
    session.sql("CREATE VIEW w AS SELECT id, v FROM t")
    session.sql("ALTER TABLE t DROP COLUMN note")
    session.sql("ALTER TABLE t ADD COLUMN late INT")
    [source] = _expand(session, "w").sources.values()
    found = [(each.column.name, each.position) for each in source.columns]
    assert found == [("note", None), ("id", 0), ("v", 1)]
    assert source.names == ("id", "v", "late")


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ("DROP TABLE t", "View 'main.public.inner_view' reads 'main.public.t', which does not"),
        ("DROP TABLE u", "View 'main.public.outer_view' reads 'main.public.u', which does not"),
        ("DROP VIEW inner_view", "View 'main.public.outer_view' reads 'main.public.inner_view'"),
        ("ALTER TABLE t DROP COLUMN v", "View 'main.public.inner_view' reads column 'v'"),
        (
            "ALTER TABLE t DROP COLUMN v; ALTER TABLE t ADD COLUMN v VARCHAR",
            "Column 'v' of 'main.public.t' was BIGINT when view 'main.public.inner_view'",
        ),
        (
            "CREATE OR REPLACE VIEW inner_view AS SELECT id FROM t",
            "View 'main.public.outer_view' reads column 'v' of 'main.public.inner_view'",
        ),
    ],
)
def test_rows_and_changes_are_refused_alike(session: Session, broken: str, expected: str) -> None:
    session.sql("CREATE TABLE t (id INT, v INT)")
    session.sql("CREATE TABLE u (id INT)")
    session.sql("CREATE VIEW inner_view AS SELECT id, v FROM t")
    start = session.sql(
        "CREATE VIEW outer_view AS WITH unused AS (SELECT * FROM u) SELECT id, v FROM inner_view"
    ).statement_id
    # planned, and not run: what was expanded then is not kept for the statements below
    session.sql("SELECT * FROM outer_view")
    session.execute_script(broken)
    refusals = set()
    for text in (
        "SELECT * FROM outer_view",
        f"SELECT * FROM outer_view CHANGES AT (STATEMENT => '{start}')",
        f"EXPLAIN SELECT * FROM outer_view CHANGES AT (STATEMENT => '{start}')",
        "SHOW CHANGE SUPPORT FOR VIEW outer_view",
        "CREATE STREAM s ON VIEW outer_view",
        "CREATE VIEW third_view AS SELECT * FROM outer_view",
    ):
        with pytest.raises(IcemeltError) as refused:
            session.sql(text).fetchall()
        refusals.add((refused.value.code, refused.value.message, refused.value.hint))
    assert len(refusals) == 1, refusals
    assert expected in refusals.pop()[1]
