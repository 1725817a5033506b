"""Names of objects: validate a name, fold a name for a look-up, complete a name to three parts.

The parsers in `sql/` write an unquoted name in lower case, and keep the case of a quoted name for
display. Look-ups compare folded names, without case. A name becomes part of SQL text only through
`quoting.quote`.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from icemelt.errors import NameRefused
from icemelt.keywords import KEYWORDS

__all__ = [
    "HIDDEN_COLUMNS",
    "ICEBERG_COLUMNS",
    "INFORMATION_SCHEMA",
    "ObjectName",
    "QualifiedName",
    "add_error_suffix",
    "find_name_space",
    "find_nearest",
    "fold",
    "fold_column",
    "identifier",
    "path_component",
    "validate_name",
    "validate_namespace",
]

# Iceberg spec, "Reserved Field IDs": columns that every table has.
_FILE_COLUMNS = frozenset({"_file", "_pos", "_deleted", "_spec_id", "_partition"})
ICEBERG_COLUMNS = _FILE_COLUMNS | frozenset(
    {"_row_id", "_last_updated_sequence_number"}
    | {"_change_type", "_change_ordinal", "_commit_snapshot_id"}
)
# columns about the files of a relation: not in `*`, and not readable by statements
HIDDEN_COLUMNS = _FILE_COLUMNS | {"_metadata"}
# the schema of each database whose relations icemelt makes, folded
INFORMATION_SCHEMA = "information_schema"
# the kinds whose objects have a name space of their own: a task and a table may have one name
_OWN_SPACES = frozenset({"task"})
_MAX_LENGTH = 255
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*(\$[a-z0-9_$]*)?")


def fold(name: str) -> str:
    """Return the form of a name for look-ups, without case.

    >>> fold("Straße") == fold("STRASSE")
    True
    """
    return unicodedata.normalize("NFC", name).casefold()


def fold_column(name: str) -> str:
    """Return the form in which Spark compares the names of a table's columns.

    Java compares the characters one by one: the Turkish i without a dot equals an i.

    >>> fold_column("\u0131") == fold_column("I"), fold("\u0131") == fold("I")
    (True, False)
    """
    return "".join(
        character if len(character.upper()) > 1 else character.upper().lower()
        for character in fold(name)
    )


def validate_name(kind: str, name: str) -> str:
    """Return a name if an object of the kind, such as a table or a column, may have the name.

    Raises:
        NameRefused: the name is empty, too long, reserved, or has a control character.
    """
    hint = f"Choose a {kind} name of 1 to {_MAX_LENGTH} characters without control characters."
    if not name or len(name) > _MAX_LENGTH:
        message = f"A {kind} name has 1 to {_MAX_LENGTH} characters, found {len(name)}."
        raise NameRefused(message, hint=hint)
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise NameRefused(f"{kind.capitalize()} name {name!r} has a control character.", hint=hint)
    if kind == "schema" and fold(name) == INFORMATION_SCHEMA:
        message = f"A schema cannot be called {name!r}: each database has one of that name."
        raise NameRefused(message, hint="Choose another name.")
    if kind == "column" and fold(name) in ICEBERG_COLUMNS:
        message = f"A column cannot be called {name!r}: a column of every table's is."
        raise NameRefused(message, hint="Choose another name.")
    if kind == "column" and fold(name).startswith("icemelt$"):
        message = f"A column cannot be called {name!r}: icemelt calls its own ones so in queries."
        raise NameRefused(message, hint="Choose another name.")
    if kind == "column" and fold(name).startswith("metadata$"):
        message = f"A column cannot be called {name!r}: CHANGES adds columns of such names."
        raise NameRefused(message, hint="Choose another name, in a query with AS.")
    return name


def validate_namespace(database: str, schema: str) -> None:
    """Refuse names of a database and a schema that together are too long for other engines.

    Iceberg's JDBC catalog keeps `database.schema` in a column of 255 characters.

    Raises:
        NameRefused: both names together have more characters.

    >>> validate_namespace("main", "public")
    """
    most = _MAX_LENGTH - 1
    if len(database) + len(schema) > most:
        raise NameRefused(
            f"The names of a database and a schema have up to {most} characters together, found "
            f"{len(database)} and {len(schema)}.",
            hint="Choose shorter names.",
        )


def add_error_suffix(name: str) -> str:
    """Return the name of a table's error table.

    >>> add_error_suffix("orders")
    'orders$errors'
    """
    return f"{name}$errors"


def identifier(name: str) -> str:
    """Return a name as written in a statement, in quotes if a bare name would mean something else.

    >>> identifier("id"), identifier("My id"), identifier("select")
    ('id', '"My id"', '"select"')
    """
    if _PLAIN.fullmatch(name) and name.upper() not in KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def path_component(name: str) -> str:
    """Return a name as one safe folder of a path; two names may have the same folder.

    >>> path_component("../../Orders 2024")
    'orders-2024'
    """
    safe = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return safe[:60] or "object"


def find_nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name most similar to a name, None where no name is similar.

    Args:
        name: the name.
        known: the known names.
        likeness: how much of two similar names is the same, from 0 to 1.

    >>> find_nearest("ordres", ["orders", "customers"])
    'orders'
    """
    # no object has a longer name, and the comparison takes the square of the length
    if len(name) > _MAX_LENGTH:
        return None
    by_fold = {fold(candidate): candidate for candidate in known}
    matches = difflib.get_close_matches(fold(name), by_fold, n=1, cutoff=likeness)
    return by_fold[matches[0]] if matches else None


def find_name_space(kind: str) -> str:
    """Return the name space of the objects of a kind, as `QualifiedName.space` has it.

    >>> find_name_space("task"), find_name_space("table")
    ('task', '')
    """
    return kind if kind in _OWN_SPACES else ""


@dataclass(frozen=True, slots=True)
class ObjectName:
    """A name in a statement: one to three parts, outermost first."""

    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.parts) <= 3:  # noqa: PLR2004 - database, schema, object
            message = f"A name has one to three parts, found {len(self.parts)}: {self}."
            raise NameRefused(message, hint="Write database.schema.name.")

    def __str__(self) -> str:
        return ".".join(self.parts)

    @property
    def last(self) -> str:
        """The object's own name."""
        return self.parts[-1]

    def within(self, database: str, schema: str) -> QualifiedName:
        """Return the full name; a database and a schema fill in for missing parts.

        >>> str(ObjectName(("t",)).within("main", "public"))
        'main.public.t'
        """
        return QualifiedName(*(database, schema)[: 3 - len(self.parts)], *self.parts)


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """The full name of any object in a schema: a table, a view or a stream.

    Attributes:
        database: the database's name.
        schema: the schema's name.
        name: the object's own name.
        space: the kind whose name space has the name, such as `task`; empty for the name space that
            tables, views and the other kinds share.
    """

    database: str
    schema: str
    name: str
    space: str = ""

    def __str__(self) -> str:
        return f"{self.database}.{self.schema}.{self.name}"

    @property
    def as_written(self) -> ObjectName:
        """The name as a statement writes it in full."""
        return ObjectName((self.database, self.schema, self.name))

    @property
    def folded(self) -> QualifiedName:
        """The form for look-ups, without case."""
        return QualifiedName(fold(self.database), fold(self.schema), fold(self.name), self.space)

    def in_space_of(self, kind: str) -> QualifiedName:
        """Return the name in the name space of a kind of objects.

        >>> name = QualifiedName("main", "public", "t")
        >>> name.in_space_of("view") == name, name.in_space_of("task") == name
        (True, False)
        """
        return replace(self, space=find_name_space(kind))

    @property
    def namespace(self) -> str:
        """The namespace of the schema in Iceberg's tables, for other engines."""
        return f"{self.database}.{self.schema}"
