"""EXECUTE IMMEDIATE: run the statement that a text holds."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import DefinitionRefused, NotYet
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import ExecuteImmediate

__all__ = ["read_execute_immediate"]

_CONSTANTS = (
    exp.Boolean,
    exp.Cast,
    exp.DataType,
    exp.DataTypeParam,
    exp.HexString,
    exp.Literal,
    exp.Neg,
    exp.Null,
    exp.Paren,
    exp.RawString,
)


def read_execute_immediate(reader: StatementReader) -> ExecuteImmediate:
    """Read the rest of `EXECUTE IMMEDIATE`: `{'text' | $variable} [USING (constant, …)]`.

    Raises:
        DefinitionRefused: a value of USING is no constant.
        NotYet: the statement is in a file.
    """
    if reader.is_at("FROM"):
        raise NotYet(
            "EXECUTE IMMEDIATE FROM a file is not supported.",
            hint="icemelt sql -f file.sql, \\i file.sql in the shell, or session.execute_script.",
        )
    text = reader.read_string("the statement")
    values: tuple[exp.Expr, ...] = ()
    if reader.take("USING"):
        reader.need("(")
        values = tuple(reader.read_list(lambda: _read_constant(reader)))
        reader.need(")")
    return ExecuteImmediate(text, values)


def _read_constant(reader: StatementReader) -> exp.Expr:
    node = reader.read_expression("a value")
    if not all(isinstance(part, _CONSTANTS) for part in node.walk()):
        raise DefinitionRefused(
            f"A value of USING is a constant, found {node.sql('snowflake')}.",
            hint="SET x = …, then USING ($x).",
        )
    return node
