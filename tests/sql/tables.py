"""The tables whose columns the tests of the SQL front end know."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.names import ObjectName
from icemelt.schema import DataType, DecimalType, ListType, MapType, NestedField, Primitive
from icemelt.schema import StructType as Struct

LONG, STRING, BOOLEAN = Primitive("long"), Primitive("string"), Primitive("boolean")
TABLES: Mapping[str, Mapping[str, DataType]] = {
    "t": {
        "id": LONG,
        "name": STRING,
        "v": Primitive("variant"),
        "arr": ListType(LONG),
        "m": MapType(STRING, LONG),
        "st": Struct((NestedField("x", LONG), NestedField("y", STRING))),
        "d": Primitive("date"),
        "ts": Primitive("timestamp"),
        "n": DecimalType(10, 2),
        "f": Primitive("double"),
        "g": STRING,
    },
    "u": {"id": LONG, "w": STRING},
    "target": {"id": LONG, "v": STRING, "n": LONG},
    "source": {"id": LONG, "v": STRING, "ct": STRING},
    # a stream
    "s": {
        "id": LONG,
        "v": STRING,
        "METADATA$ACTION": STRING,
        "METADATA$ISUPDATE": BOOLEAN,
        "METADATA$ROW_ID": STRING,
    },
}


def columns_of(name: ObjectName) -> Mapping[str, DataType] | None:
    return TABLES.get(name.last)
