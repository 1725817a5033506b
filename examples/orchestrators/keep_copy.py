"""The work of both orchestrators: the changes of `orders` go into `copied`, each once."""

from __future__ import annotations

from icemelt_sql import run

__all__ = ["MERGE", "SETUP", "has_changes", "read_position"]

SETUP = """\
CREATE TABLE IF NOT EXISTS orders (id INT, amount NUMBER(10, 2));
CREATE TABLE IF NOT EXISTS copied (id INT, amount NUMBER(10, 2));
CREATE STREAM IF NOT EXISTS new_orders ON TABLE orders"""
# it writes the rows and moves the stream in one commit: run twice, it finds nothing left to do
MERGE = """\
MERGE INTO copied c USING new_orders o ON c.id = o.id
WHEN MATCHED AND o.METADATA$ACTION = 'DELETE' AND NOT o.METADATA$ISUPDATE THEN DELETE
WHEN MATCHED AND o.METADATA$ACTION = 'INSERT' THEN UPDATE SET amount = o.amount
WHEN NOT MATCHED AND o.METADATA$ACTION = 'INSERT' THEN
  INSERT (id, amount) VALUES (o.id, o.amount)"""


def has_changes() -> bool:
    """Tell whether `orders` has changes that were not carried on; that needs no Spark job."""
    [[has_data]] = run("SELECT SYSTEM$STREAM_HAS_DATA('new_orders')")
    return bool(has_data)


def read_position() -> str:
    """Return up to when the changes were carried on: another time after each that succeeded."""
    [[position]] = run("SELECT SYSTEM$STREAM_GET_TABLE_TIMESTAMP('new_orders')")
    return str(position)
