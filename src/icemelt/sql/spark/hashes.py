"""HASH and HASH_AGG: equal numbers have one hash, of whatever types they are, in variants too."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.spark.calls import Call, Entry
from icemelt.sql.spark.semistructured import variant_key
from icemelt.sql.spark.variants import as_variant

__all__ = ["HASHES"]

_BITS, _SIGN = 18_446_744_073_709_551_616, 9_223_372_036_854_775_808


def _hash(call: Call) -> str:
    """Return HASH: of the keys of values as variants, where a NULL is a value, too."""
    if not call.arguments:
        call.need(1, 2)
    return f"xxhash64({', '.join(_hashed(call, each) for each in call.arguments)})"


def _hashed(call: Call, value: exp.Expr) -> str:
    # Spark's function passes over a NULL; no variant has an empty key
    if value.is_star:
        return call.render(value)
    # a value of unknown type may be a NULL without a type, which becomes a variant by a cast alone
    is_known = kind_of(value) is not None
    variant = (
        as_variant(value, call.render) if is_known else f"CAST({call.render(value)} AS VARIANT)"
    )
    return f"coalesce({variant_key(variant)}, X'')"


def _hash_of_rows(call: Call) -> str:
    """Return HASH_AGG: the sum of the rows' hashes, of which 64 bits are kept; 0 for no rows."""
    distinct = "DISTINCT " if call.distinct else ""
    total = f"sum({distinct}CAST({_hash(call)} AS DECIMAL(19,0))){call.over}"
    return f"CAST(pmod(coalesce({total}, 0) + {_SIGN}, {_BITS}) - {_SIGN} AS BIGINT)"


HASHES: Mapping[str, Entry] = {
    "HASH": _hash,
    "HASH_AGG": _hash_of_rows,
}
