"""Points and intervals: AT, BEFORE, CHANGES and END of a table in a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from sqlglot import exp

from icemelt.errors import NotYet, PointNotConstant, SqlSyntaxError
from icemelt.names import nearest
from icemelt.sql.spark.dates import UNITS
from icemelt.sql.statements import ChangeFormat, Changes, Point, PointKind, Side

__all__ = ["VOLATILE", "Points"]

VOLATILE = frozenset(
    {"RANDOM", "RAND", "UUID_STRING", "UUID", "UNIFORM", "NORMAL", "RANDSTR", "ZIPF"}
    | {"SEQ1", "SEQ2", "SEQ4", "SEQ8"}
)
_LATER_FORMATS = {"REDO_LOG"}


class Points:
    """Reads the points of one statement; `render` turns an expression into Spark SQL."""

    def __init__(self, text: str, render: Callable[[exp.Expr], str]) -> None:
        """Keep the statement's text for errors."""
        self._text = text
        self._render = render

    def of(self, table: exp.Expr) -> tuple[Point | None, Changes | None]:
        """Return the point and the interval written at a table."""
        changes, when = table.args.get("changes"), table.args.get("when")
        if changes is not None and when is not None:
            hint = "Write CHANGES (INFORMATION => DEFAULT) AT (…) END (…) in one place."
            self._refuse("A table has one AT or BEFORE.", hint, when)
        if changes is not None:
            return None, self._changes(changes)
        return (None if when is None else self.point(when)), None

    def point(self, node: exp.Expr) -> Point:
        """Return one AT, BEFORE or END."""
        kind = self._kind(node)
        side = Side.BEFORE if node.name == Side.BEFORE.value else Side.AT
        if side is Side.BEFORE and kind is not PointKind.STATEMENT:
            hint = f"Write AT ({kind.value} => …), or BEFORE (STATEMENT => '…')."
            self._refuse("BEFORE takes STATEMENT only.", hint, node)
        expression = node.args["expression"]
        self._refuse_variable(node, expression)
        return Point(side, kind, self._render(expression))

    def _changes(self, changes: exp.Expr) -> Changes:
        form = self._format(changes.args["information"])
        start, end = changes.args.get("at_before"), changes.args.get("end")
        if start is None:
            raise SqlSyntaxError(
                "CHANGES needs the start of an interval.",
                hint="Write CHANGES (INFORMATION => DEFAULT) AT (TIMESTAMP => '…').",
            )
        return Changes(form, self.point(start), None if end is None else self.point(end))

    def _format(self, information: exp.Expr) -> ChangeFormat:
        word = information.name.upper()
        if word in ChangeFormat.__members__:
            return ChangeFormat[word]
        known = ", ".join(ChangeFormat.__members__)
        if word in _LATER_FORMATS:
            raise NotYet(
                f"CHANGES (INFORMATION => {word}) is planned.", hint=f"Use one of {known}."
            )
        guess = nearest(word, ChangeFormat.__members__)
        meta = information.meta
        span = (meta["start"], meta["end"] + 1) if "start" in meta else None
        raise SqlSyntaxError(
            f"INFORMATION is one of {known}; found {word}.",
            hint=f"Did you mean {guess}?" if guess else "Write INFORMATION => DEFAULT.",
            text=self._text,
            span=span,
        )

    def _kind(self, node: exp.Expr) -> PointKind:
        word = str(node.args["kind"])
        word = "TIMESTAMP" if word == "TS" else word
        if word in PointKind.__members__:
            return PointKind[word]
        guess = nearest(word, PointKind.__members__)
        raise SqlSyntaxError(
            f"A point is named by TIMESTAMP, OFFSET, STATEMENT or STREAM; found {word}.",
            hint=f"Did you mean {guess}?" if guess else "Write AT (TIMESTAMP => '…').",
            text=self._text,
            span=node.meta.get("kind_span"),
        )

    def _refuse_variable(self, node: exp.Expr, expression: exp.Expr) -> None:
        for part in expression.walk():
            if isinstance(part, exp.Column) and not _is_unit(part):
                found = f"column {part.sql('snowflake')}"
            elif isinstance(part, exp.Query):
                found = "a query"
            elif isinstance(part, exp.Anonymous) and part.name.upper() in VOLATILE:
                found = f"{part.name}()"
            else:
                continue
            message = f"The point of {node.name} is a constant expression, found {found}."
            hint = "Write a value, CURRENT_TIMESTAMP(), or pass it as a parameter."
            raise PointNotConstant(message, hint=hint)

    def _refuse(self, message: str, hint: str, node: exp.Expr) -> NoReturn:
        raise SqlSyntaxError(message, hint=hint, text=self._text, span=node.meta.get("span"))


def _is_unit(column: exp.Column) -> bool:
    """Tell whether a bare word is a unit, as in DATEADD(minute, -5, CURRENT_TIMESTAMP())."""
    in_call = isinstance(column.parent, exp.Anonymous)
    return in_call and len(column.parts) == 1 and column.name.upper() in UNITS
