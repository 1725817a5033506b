"""Statements with hostile parts in them, and what of their text reaches Spark.

A mutant is a statement of tests/spec or of the docs in which tokens were replaced by hostile ones,
moved, doubled or left out. Whatever parses is told as texts of Spark SQL, without running any.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from spec.script import read_steps

from icemelt.algebra.expressions import ROW
from icemelt.errors import IcemeltError
from icemelt.names import ObjectName
from icemelt.schema import DataType, DecimalType, ListType, Primitive
from icemelt.spark_sql.rendering import render_relation
from icemelt.sql.parse import lower, parse_statement, split_statements
from icemelt.sql.reader import tokenize
from icemelt.sql.statements import Select
from icemelt.sql.statements.reads import fill

__all__ = ["CANARY", "Text", "leaks", "mutants", "outside_quotes", "seeds", "texts_of"]

ROOT = Path(__file__).parents[2]
# It is no plain word, so that it may stand in quotes alone.
CANARY = "zqx ca"
_TEXTS = (
    "{c}",
    "{c}'",
    "{c}''",
    "{c}\\",
    "{c}\\' OR 1=1 -- ",
    "{c}`",
    "{c}``",
    "{c}(1) from text.`/etc/passwd` -- ",
    "transform(id) using 'id -un' as (who string) from {c} -- ",
    "1) as a from text.`/etc/hostname` {c} -- ",
    "1) insert overwrite directory '/tmp/x' using text select 'x' as {c} -- ",
    "* from identifier('text.`/etc/host\\u006eame`') {c} -- ",
    "{c}{0.__class__.__mro__}",
    "{c}{all}{over}{0}{",
    "{c}%s%(x)s",
    "${env:{c}}",
    "{c}\n-- \n",
    "{c} -- \\\n",
    "{c}*/ /* ",
    "{c}\\u0027\\x27\\047",
    "{c};select 1",
    "__icemelt_0__{c}__icemelt_v0__",
    "{c}\u00b2\u0661\u212a\u2028\ufeff",
    "{c}]['\"{c}",
    "",
)
_TOKENS = (
    *(("'" + text.replace("\\", "\\\\").replace("'", "''") + "'") for text in _TEXTS),
    *(('"' + text.replace('"', '""') + '"') for text in _TEXTS),
    *(("$$" + text + "$$") for text in _TEXTS if "$" not in text),
    *((f'"{text}"(1)') for text in _TEXTS if '"' not in text),
    *((f'abs("{text}" => 1)') for text in _TEXTS if '"' not in text),
    *((f'f(1) OVER "{text}"') for text in _TEXTS[:6]),
    *((f'a:"{text}"') for text in _TEXTS if '"' not in text),
    *((f"a['{text}']") for text in _TEXTS if "'" not in text),
)
_STRINGS = tuple(each.replace("{c}", CANARY) for each in _TOKENS if each[0] == "'")
_NAMES = tuple(each.replace("{c}", CANARY) for each in _TOKENS if each[0] == '"')
_OTHERS = (
    f"/*+ {CANARY} */",
    f"x'{CANARY}'",
    f"N'{CANARY}'",
    f"b'{CANARY}'",
    f"interval '{CANARY}' day",
    f"interval '1' \"{CANARY}\"",
    f'cast(a as "{CANARY}")',
    f'a::object("{CANARY}\'`" int)',
    f'a."{CANARY}"(1)',
    f'a:b."{CANARY}\'"',
    f'extract("{CANARY}" from a)',
    f"date_trunc('{CANARY}', a)",
    f"listagg(a, '{CANARY}') within group (order by \"{CANARY}\")",
    f'first_value(a) over (partition by "{CANARY}`")',
    f'$1 as "{CANARY}`"',
    f':"{CANARY}"',
    f"@{CANARY}",
    "identifier('a')",
    "größe(1)",
    "\u00b2",
    "1e",
    "0x",
    "{0}",
    "`a`",
    "a b(1)",
)
_PLACES = (*(each.replace("{c}", CANARY) for each in _TOKENS), *_OTHERS)
_FIELDS: Mapping[tuple[str, str], bool] = {
    ("Query", "text"): True,
    ("RowLevel", "text"): True,
    ("RowLevel", "exact"): True,
    ("RepeatedKeyQuery", "text"): True,
    ("Assignment", "value"): False,
    ("Branch", "condition"): False,
    ("Branch", "values"): False,
    ("Column", "default"): False,
    ("AlterColumn", "default"): False,
    ("Point", "expression"): False,
}
_COLUMNS: Mapping[str, DataType] = {
    "id": Primitive("long"),
    "v": Primitive("string"),
    "n": DecimalType(10, 2),
    "d": Primitive("date"),
    "ts": Primitive("timestamp"),
    "j": Primitive("variant"),
    "a": ListType(Primitive("long")),
    CANARY: Primitive("string"),
}
_QUOTED = re.compile(r"""r'[^']*'|'(?:[^'\\]|\\.|'')*'|`(?:[^`]|``)*`""", re.DOTALL)
_HINT = re.compile(r"/\*\+ [A-Z_]+(?:\([A-Za-z0-9_, ]*\))? \*/")
_NEVER_OUTSIDE = re.compile(r"""["';]|--|/\*|\*/|[^\x00-\x7f]""")


@dataclasses.dataclass(frozen=True)
class Text:
    """A text of Spark SQL: a query, or an expression."""

    sql: str
    is_query: bool


def leaks(text: str) -> str | None:
    """Return what of a text of Spark SQL stands outside of quotes and should not, None for none."""
    outside = outside_quotes(text)
    if CANARY in outside:
        return CANARY
    found = _NEVER_OUTSIDE.search(outside)
    return None if found is None else found[0]


def outside_quotes(text: str) -> str:
    """Return a text of Spark SQL without what stands in quotes, and without hints."""
    return _QUOTED.sub(" ", _HINT.sub(" ", text))


def mutants(choose: random.Random, count: int) -> Iterator[str]:
    """Return mutants of the seeds."""
    statements = seeds()
    for _ in range(count):
        tokens = list(choose.choice(statements))
        for _ in range(choose.choice((1, 1, 1, 2, 3))):
            _mutate(tokens, choose)
        yield " ".join(tokens)


def texts_of(statement: str, *, with_columns: bool) -> list[Text]:
    """Return the texts of Spark SQL that a statement becomes; none where it is refused."""

    def columns_of(_: ObjectName) -> Mapping[str, DataType] | None:
        return _COLUMNS if with_columns else None

    try:
        parsed = parse_statement(statement, None, columns_of)
    except IcemeltError:
        return []
    found = list(_texts(parsed))
    if isinstance(parsed, Select) and with_columns:
        try:
            lowered = lower(statement, columns_of)
        except (IcemeltError, LookupError, StopIteration):
            # the query of a view: what Spark's analysis refuses never comes so far
            return found
        text = render_relation(lowered.relation, lambda _: "icemelt_leaf")
        # what stands for the row's identity is filled in before it is run
        found.append(Text(text.replace(ROW, "c0"), is_query=True))
    return found


@cache
def seeds() -> tuple[tuple[str, ...], ...]:
    """Return the statements of tests/spec and of the docs, each as its tokens."""
    texts = [
        step.sql for path in sorted(ROOT.glob("tests/spec/**/*.test")) for step in read_steps(path)
    ]
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        texts += re.findall(r"```sql\n(.*?)```", path.read_text(), re.DOTALL)
    found = {}
    for text in texts:
        for statement in _statements(text):
            tokens = [statement[token.start : token.end + 1] for token in tokenize(statement)]
            found[tuple(tokens)] = None
    return tuple(found)


def _statements(text: str) -> list[str]:
    try:
        return split_statements(text)
    except IcemeltError:
        return []


def _mutate(tokens: list[str], choose: random.Random) -> None:
    at = choose.randrange(len(tokens)) if tokens else 0
    match choose.randrange(16):
        case 0 | 1 | 2 | 3 | 4:
            tokens[at : at + 1] = [choose.choice(_PLACES)]
        case 10 | 11 | 12 | 13 | 14 | 15:
            # of the kind that was there: more of these parse
            kinds = _STRINGS if tokens[at : at + 1] and tokens[at][0] in "'$" else _NAMES
            tokens[at : at + 1] = [choose.choice(kinds)]
        case 5:
            tokens.insert(at, choose.choice(_PLACES))
        case 6:
            del tokens[at : at + choose.randint(1, 3)]
        case 7:
            tokens[at:at] = tokens[at : at + choose.randint(1, 4)]
        case 8:
            other = choose.choice(seeds())
            start = choose.randrange(len(other))
            tokens[at : at + choose.randint(0, 3)] = other[start : start + choose.randint(1, 8)]
        case 9:
            word = tokens[at : at + 1]
            tokens[at : at + 1] = [f'"{each}{CANARY}"' for each in word if '"' not in each]


def _left_open(statement: Any) -> dict[str, str]:
    """Return the slots of a MERGE that stand for columns which it does not name."""
    unnamed = getattr(statement, "unnamed", ())
    return {slot: "" for each in unnamed for slot in (each.names_slot, each.values_slot)}


def _texts(value: Any) -> Iterator[Text]:
    """Return the texts in a statement, whatever it holds them in."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            inner = getattr(value, field.name)
            is_query = _FIELDS.get((type(value).__name__, field.name))
            if is_query is None:
                yield from _texts(inner)
            else:
                listed = inner if isinstance(inner, tuple) else (inner,)
                left_open = _left_open(value)
                yield from (Text(fill(text, left_open), is_query) for text in listed if text)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _texts(each)
