"""Names in texts: read from the argument of SYSTEM$STREAM_HAS_DATA, and names and texts written."""

from __future__ import annotations

import re

from icemelt.errors import SqlSyntaxError
from icemelt.names import ObjectName, QualifiedName, identifier

__all__ = ["full_name", "string_literal", "write_name", "written_name"]

_PART = re.compile(r'"((?:[^"]|"")+)"|([^\W\d][\w$]*)')


def full_name(name: QualifiedName) -> str:
    """Return an object's full name as written in a statement.

    >>> full_name(QualifiedName("main", "public", "My orders"))
    'main.public."My orders"'
    """
    return ".".join(map(identifier, (name.database, name.schema, name.name)))


def write_name(name: ObjectName) -> str:
    """Return a name as written in a statement, with the parts that it has.

    >>> write_name(ObjectName(("public", "My task")))
    'public."My task"'
    """
    return ".".join(map(identifier, name.parts))


def string_literal(text: str) -> str:
    """Return a text as written in a statement.

    >>> print(string_literal("it's"))
    'it''s'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def written_name(text: str) -> ObjectName:
    """Return the name in a text, read as in a statement.

    Raises:
        SqlSyntaxError: the text is no name.
        NameRefused: the name has more than three parts.

    >>> written_name('Sales."My S"'), written_name("sales..s")
    (ObjectName(parts=('sales', 'My S')), ObjectName(parts=('sales', 'public', 's')))
    """
    written, position = text.strip(), 0
    parts: list[str] = []
    while True:
        part = _PART.match(written, position)
        if part is None:
            break
        parts.append(part[2].lower() if part[1] is None else part[1].replace('""', '"'))
        position = part.end()
        if position == len(written):
            return ObjectName(tuple(parts))
        if written[position] != ".":
            break
        position += 1
        if len(parts) == 1 and written[position : position + 1] == ".":
            parts.append("public")
            position += 1
    hint = "Write 'schema.name', and a name of other characters in double quotes."
    raise SqlSyntaxError(f"{text!r} is no name.", hint=hint)
