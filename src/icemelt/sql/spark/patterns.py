"""PATTERNS: LIKE and regular expressions, by icemelt's own functions with linear run time.

The functions are in java/. Spark's LIKE stays if the pattern is a text with one % at most: such a
pattern needs no matching, and Iceberg skips files by the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from sqlglot import exp

from icemelt.quoting import text_literal
from icemelt.sql.spark.arguments import integer, text
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["PATTERNS", "full_match", "like", "quote_pattern"]

Render = Callable[[exp.Expr], str]
_FLAGS = frozenset("cimnse")
# includes a%b: Spark compares the beginning and the end
_OF_SPARK = re.compile(r"%?[^%_\\]*%?|[^%_\\]+%[^%_\\]+")


def full_match(operand: str, pattern: str, flags: str = "") -> str:
    """Return a test that a pattern matches the whole string, as Snowflake's RLIKE does.

    Args:
        operand: Spark SQL of the string.
        pattern: Spark SQL of the pattern.
        flags: RE2's flags.

    >>> full_match("a", "'x+'")
    "icemelt_regexp_like(a, 'x+', '')"
    """
    return f"icemelt_regexp_like({operand}, {pattern}, '{flags}')"


def like(node: exp.Binary, word: str, escape: exp.Expr | None, render: Render) -> str:
    """Return LIKE or ILIKE, also of ANY or ALL patterns.

    Args:
        node: the text, and the pattern or patterns.
        word: LIKE or ILIKE.
        escape: the operand of ESCAPE; without ESCAPE a backslash means itself in Snowflake.
        render: returns the SQL of an operand.
    """
    subject, pattern = node.this, node.expression
    if not isinstance(pattern, (exp.Any, exp.All)):
        if _is_of_spark(pattern, escape):
            return f"{render(subject)} {word} {render(pattern)}"
        return (
            f"icemelt_like({render(subject)}, {render(pattern)}, {_options(word, escape, render)})"
        )
    inner = pattern.this
    items = inner.expressions if isinstance(inner, exp.Tuple) else [inner]
    written = ", ".join(map(render, items))
    quantifier = "any" if isinstance(pattern, exp.Any) else "all"
    if all(_is_of_spark(item, escape) for item in items):
        return f"{render(subject)} {word} {quantifier.upper()} ({written})"
    options = _options(word, escape, render)
    return f"icemelt_like_{quantifier}({render(subject)}, array({written}), {options})"


def _is_of_spark(pattern: exp.Expr, escape: exp.Expr | None) -> bool:
    written = _text(pattern)
    if written is None or (escape is not None and (not _text(escape) or escape.name in written)):
        return False
    return _OF_SPARK.fullmatch(written) is not None


def _text(node: exp.Expr) -> str | None:
    is_text = isinstance(node, exp.RawString) or (isinstance(node, exp.Literal) and node.is_string)
    return node.name if is_text else None


def _options(word: str, escape: exp.Expr | None, render: Render) -> str:
    case = "i" if word == "ILIKE" else "c"
    if escape is None:
        return f"'{case}'"
    literal = _text(escape)
    return (
        f"concat('{case}', {render(escape)})" if literal is None else text_literal(case + literal)
    )


def _like_call(call: Call, *, word: str) -> str:
    call.need(2, 3)
    escape = call.arguments[2] if len(call.arguments) > 2 else None  # noqa: PLR2004 - the escape
    pair = exp.Like(this=call.arguments[0], expression=call.arguments[1])
    return f"({like(pair, word, escape, call.operand)})"


def _flags(call: Call, position: int) -> str:
    """Return Snowflake's parameters as RE2's flags; of `c` and `i` the last counts."""
    written = call.text(position) if position < len(call.arguments) else ""
    if written is None or not set(written) <= _FLAGS:
        call.refuse("the parameters are not known.", "Write some of 'c', 'i', 'm', 's', 'e'.")
    ignores_case = written.rfind("i") > written.rfind("c")
    chosen = ("i" if ignores_case else "", *(flag for flag in "ms" if flag in written))
    return text_literal("".join(chosen))


def _number(call: Call, position: int, default: int) -> str:
    """Return an argument as a whole number in SQL."""
    if position >= len(call.arguments):
        return str(default)
    return integer(call, position)


def _group(call: Call, parameters: int) -> str:
    """Return the number of the wanted group; -1 for 'e' alone, which means the first group."""
    asks = "e" in (call.text(parameters) or "")
    return _number(call, parameters + 1, -1 if asks else 0)


def _regexp(function: str, call: Call, *arguments: str) -> str:
    subject = (text(call, 0), text(call, 1))
    return f"icemelt_regexp_{function}({', '.join((*subject, *arguments))})"


def _regexp_like(call: Call) -> str:
    call.need(2, 3)
    return _regexp("like", call, _flags(call, 2))


def _regexp_count(call: Call) -> str:
    call.need(2, 3, 4)
    return _regexp("count", call, _number(call, 2, 1), _flags(call, 3))


def _regexp_instr(call: Call) -> str:
    call.need(2, 3, 4, 5, 6, 7)
    places = (_number(call, 2, 1), _number(call, 3, 1), _number(call, 4, 0))
    return _regexp("instr", call, *places, _flags(call, 5), _group(call, 5))


def _regexp_substr(call: Call, *, function: str) -> str:
    call.need(2, 3, 4, 5, 6)
    places = (_number(call, 2, 1), _number(call, 3, 1))
    return _regexp(function, call, *places, _flags(call, 4), _group(call, 4))


def _regexp_replace(call: Call) -> str:
    call.need(2, 3, 4, 5, 6)
    replacement = "''" if len(call.arguments) < 3 else text(call, 2)  # noqa: PLR2004
    places = (_number(call, 3, 1), _number(call, 4, 0))
    return _regexp("replace", call, replacement, *places, _flags(call, 5))


def quote_pattern(literal: str) -> str:
    r"""Return a Java pattern that matches exactly the text.

    >>> print(quote_pattern("a.b"))
    a\.b
    """
    return re.sub(r"([^A-Za-z0-9_ \x80-\U0010ffff])", r"\\\1", literal)


def _str_to_map(call: Call) -> str:
    """Return STR_TO_MAP as in Spark: the delimiters are regular expressions."""
    call.need(1, 2, 3)
    between, within = (
        call.render(call.arguments[at]) if at < len(call.arguments) else default
        for at, default in ((1, "','"), (2, "':'"))
    )
    pairs = f"icemelt_regexp_split({call.sql(0)}, {between}, -1)"
    parts = (
        f"transform({pairs}, __icemelt_pair -> icemelt_regexp_split(__icemelt_pair, {within}, 2))"
    )
    entries = f"transform({parts}, part -> struct(part[0], get(part, 1)))"
    return f"map_from_entries({entries})"


def _parse_url(call: Call) -> str:
    """Return PARSE_URL: the parts as an object, or the object of an error if the call asks so."""
    call.need(1, 2)
    permissive = call.whole(1) if len(call.arguments) > 1 else 0
    if permissive not in {0, 1}:
        call.refuse("the second argument is neither 0 nor 1.", "Write PARSE_URL(url):host.")
    return f"icemelt_parse_url({text(call, 0)}, {'true' if permissive else 'false'})"


def _try_parse_url(call: Call) -> str:
    """Return Spark's TRY_PARSE_URL with an escaped key, of which Spark makes a pattern."""
    call.need(2, 3)
    arguments = [call.render(argument) for argument in call.arguments]
    if len(arguments) > 2:  # noqa: PLR2004 - the key
        key = call.text(2)
        escaped = f"regexp_replace({arguments[2]}, '([^A-Za-z0-9_])', '\\\\\\\\$1')"
        arguments[2] = escaped if key is None else text_literal(quote_pattern(key))
    return f"try_parse_url({', '.join(arguments)})"


PATTERNS: Mapping[str, Entry] = {
    "LIKE": partial(_like_call, word="LIKE"),
    "ILIKE": partial(_like_call, word="ILIKE"),
    **dict.fromkeys(("RLIKE", "REGEXP_LIKE", "REGEXP"), _regexp_like),
    "REGEXP_REPLACE": _regexp_replace,
    **dict.fromkeys(
        ("REGEXP_SUBSTR", "REGEXP_EXTRACT"), partial(_regexp_substr, function="substr")
    ),
    **dict.fromkeys(
        ("REGEXP_SUBSTR_ALL", "REGEXP_EXTRACT_ALL"), partial(_regexp_substr, function="substr_all")
    ),
    "REGEXP_COUNT": _regexp_count,
    "REGEXP_INSTR": _regexp_instr,
    "STR_TO_MAP": _str_to_map,
    "PARSE_URL": _parse_url,
    "TRY_PARSE_URL": _try_parse_url,
}
