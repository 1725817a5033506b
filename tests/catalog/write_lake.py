"""Writes the fixture of a lake at this icemelt's revision: `python tests/catalog/write_lake.py`.

Run it once for each revision, before the next one is made, and commit what it writes: the tests
open every lake there is. The fixture has no data files, for their manifests hold absolute paths.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import icemelt

LAKES = Path(__file__).parent / "lakes"
PLACE = "{lake}"
SCRIPT = """
CREATE TABLE events (id INT, v VARCHAR) COMMENT = 'with a history';
INSERT INTO events VALUES (1, 'a'), (2, 'b');
DELETE FROM events WHERE id = 1;
CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90;
CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT 'x', PRIMARY KEY (id) RELY);
ALTER TABLE empty SET CHANGE_TRACKING = FALSE;
ALTER TABLE empty SET CHANGE_TRACKING = TRUE;
CREATE STREAM watched ON TABLE empty;
CREATE VIEW shown AS SELECT * FROM empty;
CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = ';' NULL_IF = ('', 'none');
CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = 'where files arrive';
CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');
CREATE TABLE kept (id INT);
CREATE PIPE arriving COMMENT = 'every file once' AS COPY INTO kept FROM @landing;
CREATE TASK nightly SCHEDULE = 'USING CRON 0 3 * * * UTC' AS INSERT INTO kept VALUES (1);
CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END;
EXECUTE TASK nightly USING CONFIG = '{"at": "night"}';
CREATE TABLE model (id INT);
CREATE TABLE twin CLONE model;
CREATE TABLE gone (id INT);
DROP TABLE gone;
"""


def main() -> None:
    """Write `lakes/<revision>.sql`, and the metadata files of its empty tables beside it."""
    folder = Path(tempfile.mkdtemp())
    session = icemelt.connect(folder, user="writer", master="local[1]")
    session.execute_script(SCRIPT)
    with session.ingest_client() as client:
        client.open_channel("first", "main", "other", "kept", offset_token="7")
    session.close()
    with closing(sqlite3.connect(folder / "catalog.db")) as connection:
        [revision] = connection.execute("SELECT version_num FROM icemelt_migrations").fetchone()
        dump = "\n".join(connection.iterdump()).replace(str(folder), PLACE)
    (LAKES / f"{revision}.sql").write_text(dump + "\n", encoding="utf-8")
    files = LAKES / revision
    shutil.rmtree(files, ignore_errors=True)
    for location in sorted(set(re.findall(r"\{lake\}/([^']+\.metadata\.json)", dump))):
        text = (folder / location).read_text(encoding="utf-8").replace(str(folder), PLACE)
        if not location.startswith("warehouse/events-"):
            (files / location).parent.mkdir(parents=True, exist_ok=True)
            (files / location).write_text(text + "\n", encoding="utf-8")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
