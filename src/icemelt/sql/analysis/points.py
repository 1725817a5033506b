"""Points and intervals: AT, BEFORE, CHANGES and END of a table in a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from icemelt.errors import PointNotConstant, SqlSyntaxError
from icemelt.names import find_nearest
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.analysis.volatile import is_volatile
from icemelt.sql.analysis.zoned_times import as_instant
from icemelt.sql.dialect.parser import ChangesOption
from icemelt.sql.statements import (
    ChangeFormat,
    Changes,
    Deduplication,
    Point,
    PointKind,
    RangeOptions,
    Side,
)

__all__ = ["Points"]

_DEDUPLICATION, _UPDATES = "deduplicationmode", "computeupdates"
_OPTIONS = {
    _DEDUPLICATION: ("deduplicationMode", tuple(each.value for each in Deduplication)),
    _UPDATES: ("computeUpdates", ("true", "false")),
}


class Points:
    """Reads the points of one statement; `render` turns an expression into Spark SQL."""

    def __init__(self, text: str, render: Callable[[exp.Expr], str]) -> None:
        """Keep the statement's text for errors."""
        self._text = text
        self._render = render

    def read_at_table(self, table: exp.Expr) -> tuple[Point | None, Changes | None]:
        """Return the point and the interval at a table in the text."""
        changes, when = table.args.get("changes"), table.args.get("when")
        if changes is not None and when is not None:
            hint = "Write CHANGES (INFORMATION => DEFAULT) AT (…) END (…) in one place."
            self._refuse("A table has one AT or BEFORE.", hint, when)
        if changes is not None:
            return None, self._read_changes(changes)
        return (None if when is None else self.read_point(when)), None

    def read_point(self, node: exp.Expr) -> Point:
        """Return the point of AT, BEFORE or END."""
        kind = self._read_kind(node)
        side = Side.BEFORE if node.name == Side.BEFORE.value else Side.AT
        if side is Side.BEFORE and kind is not PointKind.STATEMENT:
            hint = f"Write AT ({kind.value} => …), or BEFORE (STATEMENT => '…')."
            self._refuse("BEFORE takes STATEMENT only.", hint, node)
        expression = node.args["expression"]
        self._require_constant(node.name, expression)
        return Point(side, kind, self._render(as_instant(expression)))

    def read_time(self, function: str, expression: exp.Expr) -> Point:
        """Return the time in an argument of a function, which is a constant expression.

        Raises:
            PointNotConstant: the expression has a column, a query or a volatile function.
        """
        return Point(Side.AT, PointKind.TIMESTAMP, self.read_constant(function, expression))

    def read_constant(self, function: str, expression: exp.Expr) -> str:
        """Return an argument of a function, which is a constant expression, as Spark SQL.

        Raises:
            PointNotConstant: the expression has a column, a query or a volatile function.
        """
        self._require_constant(function, expression)
        return self._render(as_instant(expression))

    def _read_changes(self, changes: exp.Expr) -> Changes:
        if "range" in changes.meta:
            return self._read_range(changes)
        form = self._read_format(changes.args["information"])
        start, end = changes.args.get("at_before"), changes.args.get("end")
        if start is None:
            raise SqlSyntaxError(
                "CHANGES needs the start of an interval.",
                hint="Write CHANGES (INFORMATION => DEFAULT) AT (TIMESTAMP => '…').",
            )
        return Changes(form, self.read_point(start), None if end is None else self.read_point(end))

    def _read_range(self, changes: exp.Expr) -> Changes:
        """Return CHANGES FROM … TO …: both bounds are in the interval, unless EXCLUSIVE."""
        start, end = changes.args["at_before"], changes.args.get("end")
        after = self.read_point(start)
        if not start.meta.get("exclusive"):
            after = replace(after, side=Side.BEFORE)
        until = None if end is None else self.read_point(end)
        if end is not None and until is not None and end.meta.get("exclusive"):
            until = replace(until, side=Side.BEFORE)
        options = self._read_range_options(changes.meta["range"])
        return Changes(ChangeFormat.REDO_LOG, after, until, options)

    def _read_range_options(self, options: Sequence[ChangesOption]) -> RangeOptions:
        """Return the options of CHANGES FROM; an unknown or repeated option is an error."""
        written: dict[str, ChangesOption] = {}
        for written_option in options:
            name, value, span = written_option.name, written_option.value, written_option.span
            if name in written:
                self._refuse_option(f"{_OPTIONS[name][0]} is there twice.", "Write it once.", span)
            written[name] = written_option
            if name not in _OPTIONS:
                guess = find_nearest(name, _OPTIONS)
                known = " and ".join(option for option, _ in _OPTIONS.values())
                hint = f"Did you mean {_OPTIONS[guess][0]}?" if guess else f"They are {known}."
                self._refuse_option(f"CHANGES FROM has no option {name!r}.", hint, span)
            option, choices = _OPTIONS[name]
            if value.lower() not in map(str.lower, choices):
                known = ", ".join(f"'{choice}'" for choice in choices)
                message = f"{option} is one of {known}; found {value!r}."
                self._refuse_option(message, f"{option} = '{choices[0]}'", span)
        deduplication, updates = Deduplication.DROP_CARRYOVERS, False
        if _DEDUPLICATION in written:
            mode = written[_DEDUPLICATION].value.lower()
            deduplication = next(
                written_option
                for written_option in Deduplication
                if written_option.value.lower() == mode
            )
        if _UPDATES in written:
            updates = written[_UPDATES].value.lower() == "true"
        if updates and deduplication is Deduplication.NONE:
            hint = "Leave deduplicationMode out, or computeUpdates."
            message = "Updates are not told from rows that were only moved."
            self._refuse_option(message, hint, written[_UPDATES].span)
        return RangeOptions(deduplication, updates)

    def _refuse_option(self, message: str, hint: str, span: tuple[int, int]) -> NoReturn:
        raise SqlSyntaxError(message, hint=hint, text=self._text, span=span)

    def _read_format(self, information: exp.Expr) -> ChangeFormat:
        word = information.name.upper()
        if word in ChangeFormat.__members__:
            return ChangeFormat[word]
        known = ", ".join(ChangeFormat.__members__)
        guess = find_nearest(word, ChangeFormat.__members__)
        meta = information.meta
        span = (meta["start"], meta["end"] + 1) if "start" in meta else None
        raise SqlSyntaxError(
            f"INFORMATION is one of {known}; found {word}.",
            hint=f"Did you mean {guess}?" if guess else "Write INFORMATION => DEFAULT.",
            text=self._text,
            span=span,
        )

    def _read_kind(self, node: exp.Expr) -> PointKind:
        word = str(node.args["kind"])
        word = "TIMESTAMP" if word == "TS" else word
        if word in PointKind.__members__:
            return PointKind[word]
        guess = find_nearest(word, PointKind.__members__)
        raise SqlSyntaxError(
            f"A point is named by TIMESTAMP, OFFSET, STATEMENT, STREAM or VERSION; found {word}.",
            hint=f"Did you mean {guess}?" if guess else "Write AT (TIMESTAMP => '…').",
            text=self._text,
            span=node.meta.get("kind_span"),
        )

    def _require_constant(self, where: str, expression: exp.Expr) -> None:
        for part in expression.walk():
            if isinstance(part, exp.Column) and not is_unit(part):
                found = f"column {part.sql('snowflake')}"
            elif isinstance(part, exp.Query):
                found = "a query"
            elif is_volatile(part):
                found = f"{part.name}()"
            else:
                continue
            message = f"The point of {where} is a constant expression, found {found}."
            hint = "Write a value, CURRENT_TIMESTAMP(), or pass it as a parameter."
            raise PointNotConstant(message, hint=hint)

    def _refuse(self, message: str, hint: str, node: exp.Expr) -> NoReturn:
        raise SqlSyntaxError(message, hint=hint, text=self._text, span=node.meta.get("span"))
