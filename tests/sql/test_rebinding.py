"""Names with a schema in a text get the clone's schema, however they are written."""

from __future__ import annotations

import pytest

from icemelt.names import QualifiedName
from icemelt.sql.parse import rebind

PLACE = QualifiedName("main", "src", "v")


def to_twin(database: str, schema: str) -> tuple[str, str]:
    return ("db", "twin") if (database, schema) == ("main", "src") else (database, schema)


@pytest.mark.parametrize(
    ("text", "rebound"),
    [
        ("SELECT id FROM t", None),
        ("SELECT id FROM main.src.t", "SELECT id FROM db.twin.t"),
        # outside of what is cloned, in a database that is another one now
        ("SELECT id FROM public.t", "SELECT id FROM main.public.t"),
        ("SELECT id FROM main..t", None),
        # a field of a column has no schema
        ("SELECT src.t.id FROM src", None),
        ("SELECT src.t.id FROM main.src.t", "SELECT db.twin.t.id FROM db.twin.t"),
        (
            "SELECT * FROM TABLE(ERROR_TABLE(src.t))",
            "SELECT * FROM TABLE(ERROR_TABLE(db.twin.t))",
        ),
        ("SELECT * FROM ERROR_TABLE(t)", None),
        ("SELECT $1 FROM @s/src.t", None),
        ("SELECT $1 FROM @Src.S/a.b/ AS f", "SELECT $1 FROM @db.twin.s/a.b/ AS f"),
        (
            "SELECT $1 FROM '@src.\"it''s\"/a b' (PATTERN => 'src.f')",
            "SELECT $1 FROM '@db.twin.\"it''s\"/a b' (PATTERN => 'src.f')",
        ),
        (
            "SELECT $1 FROM @main.src.s (PATTERN => '.*', FILE_FORMAT => 'src.F')",
            "SELECT $1 FROM @db.twin.s (PATTERN => '.*', FILE_FORMAT => 'db.twin.f')",
        ),
        (
            "SELECT $1 FROM @s (FILE_FORMAT => src.f)",
            "SELECT $1 FROM @s (FILE_FORMAT => db.twin.f)",
        ),
        ("SELECT * FROM DIRECTORY(@src.s)", "SELECT * FROM DIRECTORY(@db.twin.s)"),
        ("SELECT * FROM DIRECTORY('@far.s') d", "SELECT * FROM DIRECTORY('@main.far.s') d"),
        ("COPY INTO t FROM @s FILE_FORMAT = f", None),
        (
            "COPY INTO src.t (a) FROM @main.src.s/p FILE_FORMAT = (FORMAT_NAME = 'src.f')",
            "COPY INTO db.twin.t (a) FROM @db.twin.s/p FILE_FORMAT = (FORMAT_NAME = 'db.twin.f')",
        ),
        (
            "COPY INTO t FROM (SELECT s.$1 FROM '@src.s' (FILE_FORMAT => src.f) AS s)",
            "COPY INTO t FROM (SELECT s.$1 FROM '@db.twin.s' (FILE_FORMAT => db.twin.f) AS s)",
        ),
        (
            "COPY INTO t FROM '/data/src.s' FILE_FORMAT = (TYPE = CSV NULL_IF = ('src.t'))",
            None,
        ),
    ],
)
def test_each_form_of_a_name_gets_the_schema_of_the_clone(text: str, rebound: str | None) -> None:
    assert rebind(text, PLACE, to_twin, "db") == (text if rebound is None else rebound)
