"""Other databases and schemas for the qualified names in the text of a query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from icemelt.names import QualifiedName, fold
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.dialect.written_names import identifier
from icemelt.sql.reader import StatementReader

__all__ = ["Rebind", "rebind_names"]

# from a database and a schema, those that a name is given instead
Rebind = Callable[[str, str], tuple[str, str]]


def rebind_names(
    reader: StatementReader, place: QualifiedName, rebind: Rebind, home: str | None = None
) -> str:
    """Return the text of a query with other databases and schemas in its qualified names.

    A name without a schema stays as it is, and so does a name whose database and schema stay. A
    name without a database gets its database where it would belong to another one.

    Args:
        reader: stands at the query; reads all of it.
        place: a name in the database and schema that incomplete names belong to.
        rebind: returns the new database and schema.
        home: the database that names without a database belong to from now on; None for that of
            `place`.
    """
    home = place.database if home is None else home
    text, node = reader.text, reader.read_query()
    tables = [*filter(None, (_read_path(each, "this", place) for each in node.find_all(exp.Table)))]
    read = {path.name.folded for path in tables}
    columns = filter(None, (_read_path(c, "table", place) for c in node.find_all(exp.Column)))
    # a path to a table that the query reads, and not a field of a column
    paths = [*tables, *(path for path in columns if path.name.folded in read)]
    for path in sorted(set(paths), key=lambda path: -path.start):
        before = path.name.database, path.name.schema
        target = rebind(*before)
        if target != before or not (path.has_database or fold(before[0]) == fold(home)):
            qualifier = "".join(f"{identifier(part)}." for part in target)
            text = f"{text[: path.start]}{qualifier}{text[path.end :]}"
    return text


@dataclass(frozen=True, slots=True)
class _Path:
    """A qualified name in a text: the full name, and where database and schema are written.

    `end` is where the own name begins. `has_database` tells whether the database is written.
    """

    name: QualifiedName
    start: int
    end: int
    has_database: bool


def _read_path(node: exp.Expr, own: str, place: QualifiedName) -> _Path | None:
    """Return the qualified name of a table, None for a name without a schema.

    Args:
        node: a table, or a column with a path.
        own: the argument of the node with the table's own name.
        place: where incomplete names belong to.
    """
    name, catalog, schema = (node.args.get(part) for part in (own, "catalog", "db"))
    first = catalog or schema
    if not isinstance(name, exp.Identifier) or not isinstance(first, exp.Identifier):
        return None
    database = place.database if catalog is None else fold_identifier(catalog)
    # `a..b` is in the schema public of a
    in_schema = fold_identifier(schema) or "public"
    full = QualifiedName(database, in_schema, fold_identifier(name))
    return _Path(full, first.meta["start"], name.meta["start"], catalog is not None)
