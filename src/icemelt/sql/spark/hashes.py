"""HASH and HASH_AGG: equal numbers have one hash, of whatever types they are, in variants too."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.schema import DecimalType, Primitive
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.variants import as_variant

__all__ = ["HASHES"]

# numbers and texts are hashed without a variant
_WORDS = {"int": "long", "string": "text"}
_BITS, _SIGN = 18_446_744_073_709_551_616, 9_223_372_036_854_775_808


def _hash(call: Call) -> str:
    """Return HASH: of the hashes of values as variants, where a NULL is a value, too."""
    if not call.arguments:
        call.need(1, 2)
    return f"xxhash64({', '.join(_hashed(call, each) for each in call.arguments)})"


def _hashed(call: Call, value: exp.Expr) -> str:
    """Return the hash of a value as a variant; 0 of NULL, which Spark's function passes over."""
    if value.is_star:
        return call.render(value)
    match kind_of(value):
        case Primitive("boolean"):
            key = f"CASE {call.render(value)} WHEN TRUE THEN X'1001' WHEN FALSE THEN X'1000' END"
            hashed = f"icemelt_hash_of_key({key})"
        case Primitive("int" | "long" | "double" | "string" as name):
            hashed = f"icemelt_hash_of_{_WORDS.get(name, name)}({call.render(value)})"
        case DecimalType():
            hashed = f"icemelt_hash_of_decimal({call.render(value)})"
        case None:
            # it may be a NULL without a type, which becomes a variant by a cast alone
            hashed = f"icemelt_hash_of_variant(CAST({call.render(value)} AS VARIANT))"
        case _:
            hashed = f"icemelt_hash_of_variant({as_variant(value, call.render)})"
    return f"coalesce({hashed}, 0L)"


def _hash_of_rows(call: Call) -> str:
    """Return HASH_AGG: the sum of the rows' hashes, of which 64 bits are kept; 0 for no rows."""
    distinct = "DISTINCT " if call.distinct else ""
    total = f"sum({distinct}CAST({_hash(call)} AS DECIMAL(19,0))){call.over}"
    return f"CAST(pmod(coalesce({total}, 0) + {_SIGN}, {_BITS}) - {_SIGN} AS BIGINT)"


HASHES: Mapping[str, Entry] = {
    "HASH": _hash,
    "HASH_AGG": _hash_of_rows,
}
