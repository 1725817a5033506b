"""What a query reads of a file whose columns have types."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from icemelt import Session

__all__ = ["read_members"]


def read_members(
    session: Session, landing: Path, kind: str, names: Iterable[str]
) -> list[dict[str, tuple[str, str]]]:
    """Return for each record its members by name: the text of each, and its type as VARIANT.

    Args:
        session: a session without a stage `s`.
        landing: the folder of the files.
        kind: their type, as CREATE FILE FORMAT has it.
        names: the members to read.
    """
    session.sql(f"CREATE STAGE s URL = '{landing}' FILE_FORMAT = (TYPE = {kind})")
    names = list(names)
    columns = ", ".join(f'$1:"{name}", TYPEOF($1:"{name}")' for name in names)
    return [
        dict(zip(names, zip(row[::2], row[1::2], strict=True), strict=True))
        for row in session.sql(f"SELECT {columns} FROM @s").fetchall()
    ]
