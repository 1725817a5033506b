"""BEGIN, COMMIT, ROLLBACK."""

from __future__ import annotations

from icemelt.errors import NotYet
from icemelt.names import validate_name
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import Begin, Commit, Rollback

__all__ = ["read_begin", "read_commit", "read_rollback", "read_start"]


def read_begin(reader: StatementReader) -> Begin:
    """Read `BEGIN [WORK | TRANSACTION] [NAME n]`."""
    reader.need("BEGIN")
    reader.take_one("WORK", "TRANSACTION")
    if not reader.is_at_end and not reader.is_at("NAME"):
        message = "Blocks of statements between BEGIN and END are not supported."
        raise NotYet(message, hint="Write BEGIN; the statements; COMMIT.")
    return _read_name(reader)


def read_start(reader: StatementReader) -> Begin:
    """Read `START TRANSACTION [NAME n]`."""
    reader.need("START", "TRANSACTION")
    return _read_name(reader)


def read_commit(reader: StatementReader) -> Commit:
    """Read `COMMIT [WORK]`."""
    reader.need("COMMIT")
    reader.take("WORK")
    return Commit()


def read_rollback(reader: StatementReader) -> Rollback:
    """Read `ROLLBACK [WORK]`."""
    reader.need("ROLLBACK")
    reader.take("WORK")
    return Rollback()


def _read_name(reader: StatementReader) -> Begin:
    if not reader.take("NAME"):
        return Begin(None)
    return Begin(validate_name("transaction", reader.read_name("transaction name")))
