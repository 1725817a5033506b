"""Functions that make a text of texts: pads, blanks, capital letters, other characters."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.schema import Primitive
from icemelt.spark_sql.conversion import convert_value, try_convert
from icemelt.sql.analysis.kinds import is_kind, is_variant, kind_of
from icemelt.sql.spark.arguments import bytes_or_text, entry_of, has_bytes, text
from icemelt.sql.spark.calls import Builder, Call, Entry, null_if_any

__all__ = ["STRINGS"]

_NAMED_UUID = 2
_UUID_HINT = "Write UUID_STRING(), or UUID_STRING(namespace, name)."


def _concat(call: Call) -> str:
    if not call.arguments:
        call.need(1, 2)
    return entry_of("concat", convert=bytes_or_text)(call)


def _concat_ws(call: Call) -> str:
    """Return CONCAT_WS: binaries are joined by their digits, as Spark would make texts of them."""
    if len(call.arguments) > 1 and all(is_kind(part, "binary") for part in call.arguments):
        digits = ", ".join(f"hex({call.sql(at)})" for at in range(len(call.arguments)))
        tests = " OR ".join(f"{call.sql(at)} IS NULL" for at in range(len(call.arguments)))
        return f"if({tests}, NULL, unhex(concat_ws({digits})))"
    return _CONCAT_WS(call)


def _trim(where: str) -> Builder:
    plain = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[where]

    def build(call: Call) -> str:
        call.need(1, 2)
        if len(call.arguments) == 1:
            return f"{plain}({text(call, 0)})"
        return f"trim({where} {text(call, 1)} FROM {text(call, 0)})"

    return build


def _reverse(call: Call) -> str:
    call.need(1)
    function = "icemelt_reverse_bytes" if has_bytes(call) else "reverse"
    return f"{function}({bytes_or_text(call, 0)})"


def _to_binary(call: Call, *, safe: bool) -> str:
    call.need(1, 2)
    form = (call.text(1) or "").upper() if len(call.arguments) > 1 else "HEX"
    if form not in {"HEX", "UTF-8", "UTF8", "BASE64"}:
        call.refuse("the format is not known.", "Write 'HEX', 'UTF-8' or 'BASE64'.")
    kind = kind_of(call.arguments[0])
    if form == "HEX" and not is_variant(call.arguments[0]):
        convert = try_convert if safe else convert_value
        return convert(call.sql(0), kind, Primitive("binary"))
    function = "try_to_binary" if safe else "to_binary"
    return f"{function}({call.sql(0)}, '{form.replace('UTF8', 'UTF-8').lower()}')"


def _initcap(call: Call) -> str:
    call.need(1, 2)
    function = "icemelt_initcap" if len(call.arguments) == 1 else "icemelt_initcap_at"
    return entry_of(function)(call)


def _uuid_string(call: Call) -> str:
    call.need(0, _NAMED_UUID)
    return entry_of("icemelt_named_uuid")(call) if call.arguments else "uuid()"


def _collation(call: Call) -> str:
    """Return COLLATION: no text has one."""
    call.need(1)
    return f"if({call.sql(0)} IS NULL, CAST(NULL AS STRING), NULL)"


_CONCAT_WS = null_if_any("concat_ws", convert=text)

STRINGS: Mapping[str, Entry] = {
    **dict.fromkeys(
        ("LENGTH", "LEN", "CHAR_LENGTH", "CHARACTER_LENGTH"),
        entry_of("length", 1, convert=bytes_or_text),
    ),
    "OCTET_LENGTH": entry_of("octet_length", 1, convert=bytes_or_text),
    "BIT_LENGTH": entry_of("bit_length", 1, convert=bytes_or_text),
    "RTRIMMED_LENGTH": lambda call: f"length({_trim('TRAILING')(call)})",
    "UPPER": entry_of("upper", 1),
    "LOWER": entry_of("lower", 1),
    "TRANSLATE": entry_of("translate", 3),
    "SOUNDEX": entry_of("soundex", 1),
    "SOUNDEX_P123": entry_of("icemelt_soundex_p123", 1),
    "REVERSE": _reverse,
    "TRIM": _trim("BOTH"),
    "LTRIM": _trim("LEADING"),
    "RTRIM": _trim("TRAILING"),
    "CONCAT": _concat,
    "CONCAT_WS": _concat_ws,
    "TO_BINARY": lambda call: _to_binary(call, safe=False),
    "TRY_TO_BINARY": lambda call: _to_binary(call, safe=True),
    "INITCAP": _initcap,
    "UUID_STRING": _uuid_string,
    "COLLATE": lambda call: call.refuse("collations are planned.", "Compare LOWER(…) values."),
    "COLLATION": _collation,
}
