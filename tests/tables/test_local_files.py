"""Iceberg's files in a local folder are written without a process for each of them."""

from __future__ import annotations

from pathlib import Path

from icemelt import connect
from icemelt.session.session import Session


def test_a_statement_writes_its_files_without_processes(session: Session, tmp_path: Path) -> None:
    file = session._core.iceberg.io.newOutputFile(f"{tmp_path}/file")
    assert file.getFileSystem().getClass().getSimpleName() == "BareLocalFileSystem"
    stream = file.create()
    stream.write(1)
    stream.close()
    assert (tmp_path / ".file.crc").exists()
    # Spark's own files stay with Hadoop's, which follows links to folders
    path = session.spark._jvm.org.apache.hadoop.fs.Path(str(tmp_path))
    hadoop = path.getFileSystem(session.spark._jsparkSession.sessionState().newHadoopConf())
    assert hadoop.getClass().getSimpleName() != "BareLocalFileSystem"


def test_a_lake_behind_a_link_is_read_written_and_maintained(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link = tmp_path / "lake"
    link.symlink_to(tmp_path / "disk", target_is_directory=True)
    with connect(str(link)) as session:
        session.sql("CREATE TABLE t (id INT)")
        session.sql("INSERT INTO t VALUES (1), (2), (3), (4)")
        session.sql("DELETE FROM t WHERE id IN (2, 4)")
        assert session.maintain().tables_compacted == 1
        assert session.sql("SELECT sum(id) FROM t").fetchone() == (4,)
