"""Triggers on Iceberg's catalog table: no other engine drops a table whose files a clone names.

`DROP TABLE … PURGE` of another engine removes the row of the table, then the table's files. Some
engines heed `gc.enabled = false`; Iceberg's own Java library removes manifests all the same, and
PyIceberg everything. All of them remove the row first, so a trigger that refuses this keeps the
files. A rename is refused too, as the row under a new name would not be known. icemelt's own DROP
and RENAME change the registry's object first, and so pass.
"""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.errors import DefinitionRefused

__all__ = ["guard_pointers"]

_MESSAGE = "this table shares files with a clone: use DROP TABLE or ALTER TABLE of icemelt"
_IS_SHARED = """EXISTS (
    SELECT 1 FROM icemelt_objects o JOIN icemelt_sharing s ON s.table_id = o.object_id
    WHERE o.catalog_table_name = OLD.table_name AND o.namespace = OLD.table_namespace
    AND o.kind = 'table' AND o.dropped_at IS NULL AND o.session_id IS NULL
    AND OLD.catalog_name IN (SELECT catalog_name FROM icemelt_lake)
    AND EXISTS (
        SELECT 1 FROM icemelt_sharing p JOIN icemelt_objects q ON q.object_id = p.table_id
        WHERE p.family_id = s.family_id AND p.table_id <> s.table_id
    ))"""
_IS_RENAMED = """(NEW.table_name <> OLD.table_name OR NEW.table_namespace <> OLD.table_namespace
    OR NEW.catalog_name <> OLD.catalog_name)"""
_COLUMNS = "catalog_name, table_namespace, table_name"
_SQLITE = (
    f"""CREATE TRIGGER IF NOT EXISTS icemelt_keep_shared BEFORE DELETE ON iceberg_tables
    WHEN {_IS_SHARED} BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END""",
    f"""CREATE TRIGGER IF NOT EXISTS icemelt_keep_shared_name
    BEFORE UPDATE OF {_COLUMNS} ON iceberg_tables
    WHEN {_IS_RENAMED} AND {_IS_SHARED} BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END""",
)
_POSTGRESQL = (
    # the roles of other engines need no right to read the registry
    f"""CREATE OR REPLACE FUNCTION icemelt_keep_shared() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
        IF {_IS_SHARED} THEN
            RAISE EXCEPTION '{_MESSAGE}';
        END IF;
        RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    END $$""",
    """CREATE TRIGGER icemelt_keep_shared BEFORE DELETE ON iceberg_tables
    FOR EACH ROW EXECUTE FUNCTION icemelt_keep_shared()""",
    f"""CREATE TRIGGER icemelt_keep_shared_name BEFORE UPDATE OF {_COLUMNS} ON iceberg_tables
    FOR EACH ROW WHEN {_IS_RENAMED} EXECUTE FUNCTION icemelt_keep_shared()""",
)
_PRESENT = sa.text(
    "SELECT 1 FROM pg_trigger WHERE tgname = 'icemelt_keep_shared'"
    " AND tgrelid = 'iceberg_tables'::regclass"
)


def guard_pointers(connection: sa.Connection) -> None:
    """Make the triggers, unless they are there.

    Args:
        connection: a connection in a write transaction.

    Raises:
        DefinitionRefused: the user of the database may not make triggers.
    """
    if connection.dialect.name == "sqlite":
        for statement in _SQLITE:
            connection.exec_driver_sql(statement)
        return
    if connection.execute(_PRESENT).first() is not None:
        return
    try:
        for statement in _POSTGRESQL:
            connection.exec_driver_sql(statement)
    except sa.exc.ProgrammingError as error:
        raise DefinitionRefused(
            "A clone needs triggers on the catalog's table iceberg_tables, and the database "
            "refused to make them.",
            hint="GRANT TRIGGER ON iceberg_tables to icemelt's user, and CREATE on its schema.",
        ) from error
