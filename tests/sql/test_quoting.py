"""No text of a statement stands in Spark SQL without quotes, whatever node of the tree has it."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlglot import exp
from torture.mutants import CANARY, leaks, outside_quotes, texts_of

import icemelt
from icemelt.errors import IcemeltError, SqlSyntaxError
from icemelt.names import ObjectName
from icemelt.quoting import is_plain_word, quote, text_literal
from icemelt.schema import Column, Primitive
from icemelt.spark_sql.writing import stored_value
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.table_functions import Flatten
from icemelt.sql.parse import parse_statement
from icemelt.sql.spark.generator import Generator
from icemelt.sql.spark.plain_words import SparkText
from icemelt.sql.statements import Insert, RowLevel, Select

PLAIN = "zqxca"
HOSTILE = (
    CANARY,
    f"{CANARY}'",
    f"{CANARY}\\",
    f"{CANARY}`",
    f"{CANARY}(1) from text.`/etc/passwd` -- ",
    f'{CANARY}") */ ;',
    f"{CANARY}{{0.__class__}}{{all}}{{",
    f"${{env:{CANARY}}}\n-- \\\n",
)
WRAPPINGS: tuple[Callable[[str], object], ...] = (
    lambda text: text,
    lambda text: exp.to_identifier(text, quoted=True),
    exp.Literal.string,
    lambda text: exp.Literal(this=text, is_string=False),
    lambda text: exp.Var(this=text),
    lambda text: exp.column(exp.to_identifier(text, quoted=True), table=exp.to_identifier(text)),
    lambda text: exp.Anonymous(this=text, expressions=[exp.column("a")]),
    lambda text: exp.Kwarg(this=exp.Var(this=text), expression=exp.column("a")),
    lambda text: exp.TableAlias(this=exp.to_identifier(text, quoted=True)),
    lambda text: exp.Placeholder(this=text),
    lambda text: exp.HexString(this=text),
    lambda text: exp.RawString(this=text),
    lambda text: exp.Interval(this=exp.Literal.string("1"), unit=exp.Var(this=text)),
    lambda text: exp.Window(
        this=exp.Anonymous(this="MAX", expressions=[exp.column("a")]),
        alias=exp.to_identifier(text, quoted=True),
    ),
    lambda text: exp.DataType(this=exp.DType.USERDEFINED, kind=text),
)
# icemelt's own words, and paths, which become texts
EXEMPT = (SparkText, Flatten, exp.JSONPathKey, exp.JSONPathSubscript)
STATEMENTS = (
    'SELECT "{0}"(1)',
    'SELECT a."{0}"(1)',
    'SELECT "{0}"(1) OVER (ORDER BY a)',
    'SELECT abs("{0}" => 1)',
    'SELECT * FROM t PIVOT ("{0}"(v) FOR k IN (1))',
    'CREATE TABLE d (b VARCHAR DEFAULT "{0}"(1))',
    'UPDATE t SET v = "{0}"(1)',
    'MERGE INTO t USING s ON "{0}"(1) WHEN MATCHED THEN DELETE',
    'SELECT * FROM t AT (OFFSET => "{0}"(1))',
    "COPY INTO '/a' FROM (SELECT \"{0}\"(1) AS c)",
)


OPERATORS = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.EQ, exp.LT, exp.And, exp.Or, exp.Not, exp.Neg),
    *(exp.Paren, exp.Alias, exp.In, exp.Case, exp.If, exp.Tuple, exp.Array, exp.Bracket, exp.Dot),
    *(exp.RegexpLike, exp.NullSafeEQ, exp.Ordered, exp.Distinct, exp.Is, exp.Lambda),
    *(exp.Anonymous, exp.DPipe, exp.PropertyEQ, exp.Struct, exp.Between, exp.Limit, exp.Where),
)


def classes() -> list[type[exp.Expr]]:
    """Return all of sqlglot's kinds of nodes, and icemelt's own."""
    found: list[type[exp.Expr]] = []
    pending: list[type[exp.Expr]] = [exp.Expression]
    while pending:
        inner = [each for each in pending.pop().__subclasses__() if each not in found]
        found += inner
        pending += inner
    return [each for each in found if each not in EXEMPT]


def trees(kind: type[exp.Expr], argument: str, value: Callable[[], object]) -> Iterator[exp.Expr]:
    """Return trees in which a node has a value as one argument, and columns as others."""
    needed = {name: exp.column("a") for name, is_needed in kind.arg_types.items() if is_needed}
    for inner in (value(), [value()]):
        with contextlib.suppress(Exception):
            node = kind(**{**needed, argument: inner})
            yield exp.Select(expressions=[exp.alias_(node, "x", quoted=True, copy=False)])


def written(tree: exp.Expr) -> str | None:
    """Return a tree as Spark SQL, None where it is refused, or is none of a statement's."""
    try:
        return Generator(StatementSlots("__icemelt_")).text(tree)
    except Exception:  # noqa: BLE001 - a tree that no statement has
        return None


def cases() -> Iterator[tuple[type[exp.Expr], str, Callable[[str], object]]]:
    """Return where a text may be: in any argument of any node, and in a leaf of any operator."""
    for kind in classes():
        for argument in kind.arg_types:
            yield kind, argument, lambda text: text
    for kind in OPERATORS:
        for argument in {"this", "expression", "expressions"} & set(kind.arg_types):
            for wrap in WRAPPINGS:
                yield kind, argument, wrap


def pairs(
    kind: type[exp.Expr], argument: str, wrap: Callable[[str], object]
) -> Iterator[tuple[str, str]]:
    """Return texts with a plain word in them, and the same with a hostile text."""
    plain = [written(tree) for tree in trees(kind, argument, lambda: wrap(PLAIN))]
    for text in HOSTILE:
        hostile = [written(tree) for tree in trees(kind, argument, partial(wrap, text))]
        yield from ((a or "", b) for a, b in zip(plain, hostile, strict=False) if b is not None)


def test_nothing_outside_of_quotes_changes_with_a_text_in_any_node() -> None:
    shown = 0
    for kind, argument, wrap in cases():
        for before, after in pairs(kind, argument, wrap):
            assert leaks(after) is None, (kind, argument, after)
            assert outside_quotes(after) == outside_quotes(before), (kind, argument)
            shown += 1
    assert shown > 1_000


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("name", [*HOSTILE, "a b", "1a", "größe", "x{0}", ""])
def test_a_name_that_is_no_plain_word_is_refused_with_its_place(statement: str, name: str) -> None:
    quoted = name.replace('"', '""')
    text = statement.replace("{0}", quoted)
    with pytest.raises(SqlSyntaxError) as told:
        parse_statement(text)
    if told.value.span is not None:
        start, end = told.value.span
        assert text[start:end] == f'"{quoted}"' or name in {"", "a b"}


@pytest.mark.parametrize(
    "expression",
    [
        "j:a::{}",
        "j:a.b[0]::{}",
        "GET(j, 'a')::{}",
        "v:a::{}",
        "j::{}",
        "TRY_CAST(v AS {})",
        "PARSE_JSON(v)::ARRAY({})",
        "j:a::MAP(VARCHAR, {})",
        "[j]::ARRAY({})[0]:b",
        "COALESCE(j:a::{}, j:b::{})",
        "j:a::{}:c::{}",
    ],
)
def test_a_field_of_a_type_stands_in_quotes(expression: str) -> None:
    for hostile in HOSTILE:
        field = hostile.replace('"', '""')
        written = expression.replace("{}", f'OBJECT("{field}" INT)')
        statement = f"SELECT {written} FROM t"
        for with_columns in (True, False):
            texts = texts_of(statement, with_columns=with_columns)
            assert texts, statement
            assert [leaks(each.sql) for each in texts] == [None] * len(texts), statement


def test_a_plain_quoted_name_is_a_function() -> None:
    statement = parse_statement('SELECT "Abs"(1)')
    assert isinstance(statement, Select)
    assert statement.query.text == 'SELECT abs(1) AS `"Abs"(1)`'


def test_a_text_in_quotes_is_read_as_it_is_and_holds_no_slot() -> None:
    assert quote("a`b") == "`a``b`"
    assert text_literal("__icemelt_0__") == r"'\u005f_icemelt_0__'"
    assert not is_plain_word("a\n")
    assert not is_plain_word("")
    column = Column("it's", Primitive("string", 3))
    assert r"'icemelt-length:it\'s:3'" in stored_value(column, "`c`")


def test_a_default_is_not_looked_through_for_slots() -> None:
    insert = parse_statement("INSERT INTO t VALUES (DEFAULT, DEFAULT)")
    assert isinstance(insert, Insert)
    (first, _), (second, _) = insert.defaults
    values = {first: f"'{second}'", second: "' || evil || '"}
    assert f"'{second}'" in insert.query.bind({}, values)


def test_a_default_of_an_update_is_not_looked_through_for_slots() -> None:
    update = parse_statement("UPDATE t SET a = DEFAULT WHERE id IN (SELECT id FROM s)")
    assert isinstance(update, RowLevel)
    [assignment] = update.assignments
    relations = {each.slot: "`t`" for each in (update.target, *update.references)}
    stored = f"'{update.references[0].slot}'"
    assert stored in update.bind(relations, {assignment.slot: stored})


def test_every_text_goes_to_spark_through_the_one_door() -> None:
    folder = Path(icemelt.__file__).parent
    callers = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sql"
        and ast.unparse(node.func.value).endswith("spark")
        and not isinstance(node.args[0], ast.Constant)
    }
    assert callers == {"session/runtime/spark_sql.py"}


def test_columns_that_tell_of_files_are_none_of_a_table() -> None:
    types = {"id": Primitive("long")}

    def columns_of(_: ObjectName) -> dict[str, Primitive]:
        return types

    for text in (
        "SELECT _file FROM t",
        "SELECT t._POS FROM t",
        "SELECT (SELECT max(_file) FROM s) FROM t",
        "SELECT * FROM t JOIN s USING (_file)",
        "SELECT _metadata.file_path FROM t",
        "SELECT _partition.* FROM t",
        "DELETE FROM t WHERE _file = 'a'",
        "SELECT id FROM t ORDER BY _spec_id",
    ):
        with pytest.raises(IcemeltError) as told:
            parse_statement(text, None, columns_of)
        assert told.value.code == "column-not-found"
    assert parse_statement("SELECT _file FROM (SELECT 1 AS _file)", None, columns_of)
