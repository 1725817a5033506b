"""A guest's errors name no folder of the server, and do not tell whether a guess is one."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from icemelt.errors import IcemeltError
from icemelt.session.hosting import open_guest
from icemelt.session.runtime.hiding import hide_folders
from icemelt.session.session import Session

TABLE = "t-5f4aa284-05dc-4461-bdbb-72c76063627b"
HIDDEN = ("/srv/lake", "/srv/my lake", "s3a://private/lake")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("File 'file:/srv/lake/a.parquet' is damaged.", "File '…/a.parquet' is damaged."),
        (f"(file:///srv/lake/{TABLE}/data/a=1/b)", f"(…/{TABLE}/data/a=1/b)"),
        (f"'/srv/my lake/{TABLE}/data/x' is gone", f"'…/{TABLE}/data/x' is gone"),
        ("s3a://private/lake/x.avro, file:/srv/lake", "…/x.avro, …"),
        (f"{Path.home()}: denied; {sys.prefix}/john.doe.", "…: denied; …."),
        (f"/tmp/icemelt-scratch-host-{TABLE[2:]}/a.avro", "…/a.avro"),
        ("jdbc:sqlite:////srv/lake/catalog.db", "jdbc:…/catalog.db"),
        ("'/land/in/a b.csv' of file:/real/c.csv", "'/land/in/a b.csv' of file:/real/c.csv"),
        ("1/2, 2024/01/02, and/or, ((a + b)/2) / 3", "1/2, 2024/01/02, and/or, ((a + b)/2) / 3"),
        ("docs/sql.md, https://a.example/b", "docs/sql.md, https://a.example/b"),
        ("COPY INTO '/folder'; POST /v1/rows.", "COPY INTO '/folder'; POST /v1/rows."),
    ],
)
def test_a_path_keeps_what_is_no_folder_of_the_server(text: str, expected: str) -> None:
    hidden = hide_folders(text, HIDDEN, ("/land/in", "/real"))
    assert hidden == expected
    # as an error goes by the session and then by the server
    assert hide_folders(hidden, HIDDEN, ("/land/in", "/real")) == expected


@pytest.mark.parametrize(
    "template", ["{}", "'{}'", "'{}/zzz'", "file:{}/.cache/a.jar: x", "({}/a/b)"]
)
def test_a_guessed_folder_is_treated_as_any_other(template: str) -> None:
    told = {
        hide_folders(template.format(folder), ["/srv/lake", "/tmp"])
        for folder in (*map(str, (Path.cwd(), Path.home(), sys.prefix)), "/srv/lake", "/no/where")
    }
    assert len(told) == 1


def test_long_texts_take_no_long_time() -> None:
    began = time.monotonic()
    for piece in ("a+", "/a", "/", "file:", "a:/", "…/", "' /"):
        hide_folders(piece * 100_000, HIDDEN, ("/land/in",))
    assert time.monotonic() - began < 5


def test_an_error_does_not_tell_whether_a_guess_is_the_server_s_folder(
    session: Session, tmp_path: Path
) -> None:
    folders = [Path.cwd(), Path.home(), tmp_path / "warehouse", Path("/no/where")]
    templates = (
        "SELECT CAST('{}/zzz' AS INT)",
        "SELECT RAISE_ERROR('{}/zzz')",
        "SELECT MAP('{0}/zzz', 1, '{0}/zzz', 2)",
        "SELECT PARSE_JSON('{}/zzz')",
        'SELECT "{}/zzz"',
        "COPY INTO t FROM '{}/zzz'",
    )
    session.sql("CREATE TABLE t (v VARCHAR)")
    with open_guest(session, "ann", (str(tmp_path / "in"),)) as guest:
        for template in templates:
            told = {refusal(guest, template, folder) for folder in folders}
            assert len(told) == 1, told
        # what the statement says stays
        with pytest.raises(IcemeltError, match=f"'{Path.home()}/zzz'"):
            guest.sql(f"SELECT CAST('{Path.home()}/zzz' AS INT)").fetchall()


def refusal(guest: Session, template: str, folder: Path) -> str:
    """Return the error of a statement about a folder, which is `{}` in there."""
    with pytest.raises(IcemeltError) as refused:
        guest.sql(template.format(folder)).fetchall()
    return str(refused.value).replace(str(folder), "{}")
