"""Characters and bytes as texts: code points, hexadecimal digits, Base64, digests."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.quoting import text_literal
from icemelt.schema import Primitive
from icemelt.spark_sql.conversion import convert_value, from_hex, try_convert
from icemelt.spark_sql.once import evaluate_once
from icemelt.sql.analysis.kinds import kind_of
from icemelt.sql.spark.arguments import bytes_or_text, text
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["ENCODINGS"]

_ALPHABET = "+/="
_DIGEST_SIZES = (224, 256, 384, 512)
_BINARY, _LONG, _STRING = Primitive("binary"), Primitive("long"), Primitive("string")


def _character(call: Call) -> str:
    """Return the character of a code point."""
    call.need(1)
    return f"icemelt_character({convert_value(call.sql(0), kind_of(call.arguments[0]), _LONG)})"


def _unicode(call: Call) -> str:
    call.need(1)
    return f"ascii({text(call, 0)})"


def _hex_encode(call: Call) -> str:
    call.need(1, 2)
    digits = f"hex({bytes_or_text(call, 0)})"
    if len(call.arguments) == 1 or call.whole(1) == 1:
        return digits
    if call.whole(1) != 0:
        call.refuse("the case is not known.", "Write 1 for upper case, 0 for lower case.")
    return f"lower({digits})"


def _base64_encode(call: Call) -> str:
    """Return BASE64_ENCODE with Snowflake's line length; Spark breaks lines after 76 characters."""
    call.need(1, 2, 3)
    length = 0 if len(call.arguments) == 1 else call.whole(1)
    if length is None or length < 0:
        call.refuse("the length of a line is no whole number.", "Write 0 for one line, or 76.")
    alphabet = _alphabet(call, 2)
    encoded = f"replace(base64({bytes_or_text(call, 0)}), '\\r\\n')"
    if alphabet != _ALPHABET:
        encoded = f"translate({encoded}, '{_ALPHABET}', {text_literal(alphabet)})"
    if not length:
        return encoded
    line = text_literal(f"(.{{{length}}})(?=.)")
    return f"regexp_replace({encoded}, {line}, '$1\\n')"


def _alphabet(call: Call, position: int) -> str:
    """Return the characters for the last two digits and the padding, by default `+/=`."""
    if position >= len(call.arguments):
        return _ALPHABET
    written = call.text(position)
    is_one = written is not None and written.isascii() and len(written) <= len(_ALPHABET)
    if written is None or not is_one:
        hint = f"Write up to three characters for those of '{_ALPHABET}'."
        call.refuse("the alphabet is not known.", hint)
    return written + _ALPHABET[len(written) :]


def _bytes_of_base64(call: Call, *, safe: bool) -> str:
    call.need(1, 2)
    sql, alphabet = text(call, 0), _alphabet(call, 1)
    if alphabet != _ALPHABET:
        unused = "".join(character for character in _ALPHABET if character not in alphabet)
        digits = _ALPHABET + "!" * len(unused)
        sql = f"translate({sql}, {text_literal(alphabet + unused)}, {text_literal(digits)})"
    return f"try_to_binary({sql}, 'base64')" if safe else evaluate_once(sql, _decode_base64)


def _decode_base64(text: str) -> str:
    refused = (
        f"CASE WHEN {text} IS NOT NULL THEN raise_error(concat('icemelt-base64:', {text})) END"
    )
    return f"coalesce(try_to_binary({text}, 'base64'), {refused})"


def _bytes_of_hex(call: Call, *, safe: bool) -> str:
    call.need(1)
    return try_convert(text(call, 0), _STRING, _BINARY) if safe else from_hex(text(call, 0))


def _to_text(entry: Entry, *, safe: bool) -> Entry:
    """Return an entry for the text whose UTF-8 bytes are the result of `entry`."""
    function = "try_validate_utf8" if safe else "validate_utf8"

    def build(call: Call) -> str:
        assert callable(entry)  # noqa: S101 - all here are
        return f"{function}(CAST({entry(call)} AS STRING))"

    return build


def _digest(function: str) -> Entry:
    def build(call: Call) -> str:
        call.need(1)
        return function.format(bytes_or_text(call, 0))

    return build


def _sha2(form: str) -> Entry:
    """Return an entry for SHA2 with one of four sizes; Spark would give NULL for more sizes."""

    def build(call: Call) -> str:
        call.need(1, 2)
        size = call.whole(1) if len(call.arguments) > 1 else 256
        if size not in _DIGEST_SIZES:
            sizes = ", ".join(map(str, _DIGEST_SIZES))
            call.refuse("the size of the digest is not known.", f"Write one of {sizes}.")
        return form.format(f"sha2({bytes_or_text(call, 0)}, {size})")

    return build


def _decoding(name: str, *, safe: bool) -> Entry:
    decode = _bytes_of_hex if name == "HEX" else _bytes_of_base64
    return lambda call: decode(call, safe=safe)


def _decodings() -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for name in ("HEX", "BASE64"):
        for prefix, safe in (("", False), ("TRY_", True)):
            entry = _decoding(name, safe=safe)
            entries[f"{prefix}{name}_DECODE_BINARY"] = entry
            entries[f"{prefix}{name}_DECODE_STRING"] = _to_text(entry, safe=safe)
    return entries


_HALF = "CAST(conv({}, 16, 10) AS DECIMAL(20,0))"

ENCODINGS: Mapping[str, Entry] = {
    **dict.fromkeys(("CHR", "CHAR"), _character),
    **dict.fromkeys(("UNICODE", "ASCII"), _unicode),
    "HEX_ENCODE": _hex_encode,
    "BASE64_ENCODE": _base64_encode,
    **_decodings(),
    **dict.fromkeys(("MD5", "MD5_HEX"), _digest("md5({})")),
    "MD5_BINARY": _digest("unhex(md5({}))"),
    "MD5_NUMBER_UPPER64": _digest(_HALF.format("left(md5({}), 16)")),
    "MD5_NUMBER_LOWER64": _digest(_HALF.format("right(md5({}), 16)")),
    **dict.fromkeys(("SHA1", "SHA1_HEX"), _digest("sha1({})")),
    "SHA1_BINARY": _digest("unhex(sha1({}))"),
    **dict.fromkeys(("SHA2", "SHA2_HEX"), _sha2("{}")),
    "SHA2_BINARY": _sha2("unhex({})"),
}
