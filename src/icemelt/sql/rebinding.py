"""Other databases and schemas for the qualified names in the text of a query or a COPY INTO."""

from __future__ import annotations

from collections.abc import Callable

from icemelt.names import QualifiedName, fold
from icemelt.sql.analysis.written_paths import PathForm
from icemelt.sql.reader import StatementReader

__all__ = ["Rebind", "rebind_names"]

# from a database and a schema, those that a name is given instead
Rebind = Callable[[str, str], tuple[str, str]]


def rebind_names(
    reader: StatementReader,
    read: Callable[[StatementReader], object],
    place: QualifiedName,
    rebind: Rebind,
    home: str | None = None,
) -> str:
    """Return the text of a statement with other databases and schemas in its qualified names.

    A name without a schema stays as it is, and so does a name whose database and schema stay. A
    name without a database gets its database where it would belong to another one.

    Args:
        reader: stands at the beginning of the text.
        read: reads the statement.
        place: a name in the database and schema that incomplete names belong to.
        rebind: returns the new database and schema.
        home: the database that names without a database belong to from now on; None for that of
            `place`.
    """
    home = place.database if home is None else home
    text, reader.paths = reader.text, []
    read(reader)
    named = {path: path.name.within(place.database, place.schema) for path in reader.paths}
    # before a column a path has a table that is read, or it has a field of a column
    read_names = {n.folded for path, n in named.items() if path.form is not PathForm.BEFORE_COLUMN}
    for path, name in sorted(named.items(), key=lambda item: -item[0].start):
        if name.folded not in read_names:
            continue
        before = name.database, name.schema
        target = rebind(*before)
        if target != before or not (path.has_database or fold(before[0]) == fold(home)):
            text = f"{text[: path.start]}{path.write(*target)}{text[path.end :]}"
    return text
