"""Spark reads batches of Parquet files that are bounded in bytes, and writes short pages."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from icemelt.session.session import Session
from icemelt.spark_java import hadoop_configuration, java_class
from icemelt.tables.iceberg import Iceberg, relation

_ROWS, _BYTES = 5_000, 16 << 20
_SCHEMA = {
    "schema": {
        "type": "struct",
        "fields": [
            {"id": 1, "name": "id", "type": "long", "required": False},
            {"id": 2, "name": "v", "type": "string", "required": False},
        ],
    },
    "properties": {"format-version": "3"},
}
_SHORT = [f"x{number}" for number in range(7_000)]
_LONG = [f"{number:03}" * 40_000 for number in range(200)]
_PLAIN: dict[str, Any] = {"use_dictionary": False, "write_batch_size": 10}
_SMALL_DICTIONARY = {"dictionary_pagesize_limit": 150_000, "write_batch_size": 10}
_FRONT_CODED = {"use_dictionary": False, "column_encoding": {"v": "DELTA_BYTE_ARRAY"}}
_SAME = ["y" * 100_000] * 1_000


@dataclass(frozen=True)
class File:
    """A Parquet file of a number and a text, and an Iceberg table of this file alone."""

    iceberg: Iceberg
    location: str
    name: str
    texts: list[str | None]

    def read_batches(self) -> Iterator[int]:
        """Yield the number of rows of each batch, as Iceberg gives them to Spark."""
        functions, format_ = self.iceberg.functions, self.iceberg.java_class("FileFormat").PARQUET
        batch = functions.load_class("org.apache.spark.sql.vectorized.ColumnarBatch")
        registry = self.iceberg.java_class("formats.FormatModelRegistry")
        reader = registry.readBuilder(
            format_, batch, self.iceberg.io.newInputFile(self.location)
        ).project(self.iceberg.table(("batches",), self.name).schema())
        rows = reader.recordsPerBatch(_ROWS).reuseContainers().build()
        batches = rows.iterator()
        while batches.hasNext():
            yield batches.next().numRows()
        batches.close()
        rows.close()


def write_file(
    session: Session, folder: Path, texts: list[str | None], options: dict[str, Any]
) -> File:
    iceberg, name = session._core.iceberg, hashlib.sha256(str(folder).encode()).hexdigest()
    path = folder / "rows.parquet"
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), metadata={b"PARQUET:field_id": b"1"}),
            pa.field("v", pa.string(), metadata={b"PARQUET:field_id": b"2"}),
        ]
    )
    rows = pa.table({"id": range(len(texts)), "v": texts}, schema=schema)
    pq.write_table(rows, path, compression="zstd", row_group_size=len(texts), **options)
    iceberg.create(("batches",), name, _SCHEMA, f"file:{folder}/table")
    table = iceberg.table(("batches",), name)
    file = iceberg.io.newInputFile(f"file:{path}")
    metrics = iceberg.java_class("parquet.ParquetUtil").fileMetrics(
        file, iceberg.java_class("MetricsConfig").forTable(table)
    )
    data = iceberg.java_class("DataFiles").builder(table.spec()).withInputFile(file)
    data = data.withFormat("PARQUET").withMetrics(metrics).build()
    table.newAppend().appendFile(data).commit()
    return File(iceberg, f"file:{path}", name, texts)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        pytest.param(_LONG, _PLAIN, id="long"),
        pytest.param([*_SHORT, *_LONG, *_SHORT], _PLAIN, id="short, long, short"),
        pytest.param([*_SHORT, *_LONG, None, *_SAME[:9]], {}, id="as pyarrow writes"),
        pytest.param(
            [*_SAME, *_LONG, *_SAME], _SMALL_DICTIONARY, id="dictionary that was given up"
        ),
        pytest.param([f"{_SAME[0]}{n}" for n in range(900)], _FRONT_CODED, id="front-coded"),
    ],
)
def test_a_batch_of_long_texts_has_few_rows(
    session: Session, tmp_path: Path, texts: list[str | None], options: dict[str, Any]
) -> None:
    file = write_file(session, tmp_path, texts, options)
    batches = list(file.read_batches())
    assert sum(batches) == len(texts)
    assert max(batches) <= _ROWS
    ends = [0, *itertools.accumulate(batches)]
    pages = 2 * _BYTES if not options else _BYTES
    for first, last in itertools.pairwise(ends):
        assert sum(len(text or "") for text in texts[first:last]) <= pages
    check_rows(session, file)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        pytest.param([*_SHORT, None, *_SHORT], {}, id="short"),
        pytest.param([*_SHORT, None, *_SHORT], _PLAIN, id="short, in small pages"),
        # the vectors have numbers, and the dictionary one text
        pytest.param(_SAME, {}, id="one text"),
    ],
)
def test_a_batch_of_short_texts_has_as_many_rows_as_ever(
    session: Session, tmp_path: Path, texts: list[str | None], options: dict[str, Any]
) -> None:
    file = write_file(session, tmp_path, texts, options)
    batches = list(file.read_batches())
    assert batches == [_ROWS] * (len(texts) // _ROWS) + [len(texts) % _ROWS]
    check_rows(session, file)


def test_pages_of_long_texts_have_few_rows(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (v VARCHAR)")
    # the writer guesses the sizes of rows from those before
    text = "IFF(SEQ8() % 2000 < 1900, 'x', REPEAT(UUID_STRING(), 10000))"
    session.sql(f"INSERT INTO t SELECT {text} FROM TABLE(GENERATOR(ROWCOUNT => 4000))")
    pages = [rows for path in tmp_path.rglob("*.parquet") for rows in read_page_rows(session, path)]
    assert sum(pages) == 4_000
    assert len(pages) >= 2 * 100 / 16


def read_page_rows(session: Session, path: Path) -> Iterator[int]:
    """Yield the number of rows of each page of a Parquet file of one column."""
    spark = session._core.spark
    hadoop = java_class(spark, "org.apache.hadoop.fs.Path")(str(path))
    file = java_class(spark, "org.apache.parquet.hadoop.util.HadoopInputFile").fromPath(
        hadoop, hadoop_configuration(spark)
    )
    reader = java_class(spark, "org.apache.parquet.hadoop.ParquetFileReader").open(file)
    for group in reader.getRowGroups():
        pages = reader.readOffsetIndex(group.getColumns().get(0))
        firsts = [pages.getFirstRowIndex(page) for page in range(pages.getPageCount())]
        for first, last in itertools.pairwise([*firsts, group.getRowCount()]):
            yield last - first
    reader.close()


def check_rows(session: Session, file: File) -> None:
    """Compare what Spark reads with what was written, row ids and positions included."""
    spark = session._core.spark
    rows = spark.sql(
        "SELECT id, sha2(v, 256), _row_id, _pos FROM "
        f"{relation(('batches',), file.name)} WHERE id % 7 <> 3"
    ).collect()
    assert sorted(map(tuple, rows)) == [
        (number, text and hashlib.sha256(text.encode()).hexdigest(), number, number)
        for number, text in enumerate(file.texts)
        if number % 7 != 3
    ]
