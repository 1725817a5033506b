"""What another Spark has written into a Parquet file's footer beside its types is not heeded."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from icemelt.session.session import Session

KEY = "org.apache.spark.sql.parquet.row.metadata"


def class_of_python(name: str) -> dict[str, Any]:
    return {"type": "udt", "pyClass": name, "serializedClass": "x", "sqlType": "string"}


def field(name: str, kind: Any = "string", **metadata: str) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


FOOTERS = {
    "python": [field("a", class_of_python("icemelt_evil.x"))],
    "in a list": [
        field(
            "l", {"type": "array", "containsNull": True, "elementType": class_of_python("evil.x")}
        )
    ],
    "java": [
        field("a", {**class_of_python("evil.x"), "class": "org.apache.spark.ml.linalg.VectorUDT"})
    ],
    "default": [field("a"), field("b", EXISTS_DEFAULT="concat(user(), version())")],
}


@pytest.mark.parametrize("matching", ["", "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"])
@pytest.mark.parametrize("footer", FOOTERS)
def test_neither_classes_nor_defaults_of_a_footer_are_used(
    session: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    footer: str,
    matching: str,
) -> None:
    (tmp_path / "modules").mkdir()
    for name in ("icemelt_evil", "evil"):
        (tmp_path / "modules" / f"{name}.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "modules")
    schema = {"type": "struct", "fields": FOOTERS[footer]}
    rows = pa.table({"a": ["x"], "l": [["y"]]}) if "list" in footer else pa.table({"a": ["x"]})
    pq.write_table(rows.replace_schema_metadata({KEY: json.dumps(schema)}), tmp_path / "f.parquet")
    session.sql("CREATE TABLE t (a VARCHAR, b VARCHAR, l ARRAY(VARCHAR))")
    session.sql(
        f"COPY INTO t FROM '{tmp_path}/f.parquet' FILE_FORMAT = (TYPE = PARQUET) {matching}"
        " ON_ERROR = CONTINUE"
    )
    [(_, b, _)] = session.sql("SELECT * FROM t").fetchall() or [(None, None, None)]
    assert b is None
    assert not {"icemelt_evil", "evil"} & set(sys.modules)
