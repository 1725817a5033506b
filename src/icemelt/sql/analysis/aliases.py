"""Put expressions of a SELECT list in place of their aliases, where Spark knows no aliases.

`SELECT a + 1 AS b FROM t WHERE b > 1` becomes `SELECT a + 1 AS b FROM t WHERE (a + 1) > 1`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from icemelt.errors import NotYet, QueryError
from icemelt.names import fold
from icemelt.sql.analysis.trees import copy_expression, own_columns, replace_node
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.analysis.volatile import SEQUENCES, VOLATILE, is_volatile
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import count_step

__all__ = ["Aliases"]


@dataclass(frozen=True, slots=True)
class Aliases:
    """The aliases of a SELECT list.

    Attributes:
        expressions: the expressions by folded alias.
        doubled: the aliases of more than one column.
        numbers_rows: whether SEQ4() and similar functions are the number of the row, and so have
            the same value in all clauses.
    """

    expressions: dict[str, exp.Expr] = field(default_factory=dict)
    doubled: frozenset[str] = frozenset()
    numbers_rows: bool = False

    @classmethod
    def of(cls, select: exp.Select, *, numbers_rows: bool = False) -> Aliases:
        """Return the aliases of a SELECT.

        >>> from sqlglot import parse_one
        >>> list(Aliases.of(parse_one("SELECT a AS x, b, c + 1 AS y")).expressions)
        ['x', 'y']
        """
        expressions: dict[str, exp.Expr] = {}
        doubled = set()
        for projection in select.expressions:
            if isinstance(projection, exp.Alias):
                name = fold(fold_identifier(projection.args["alias"]))
                if name in expressions:
                    doubled.add(name)
                expressions[name] = projection.this
        return cls(expressions, frozenset(doubled), numbers_rows)

    def expression(self, name: str) -> exp.Expr:
        """Return a copy of the expression of an alias, in parentheses.

        Raises:
            NotYet: the expression has another value at each computation, or the statement becomes
                too large.
            QueryError: several columns have the alias.
        """
        if fold(name) in self.doubled:
            hint = "Give each column of the SELECT list an alias of its own."
            raise QueryError(f"Column {name!r} is more than one of the SELECT list.", hint=hint)
        meant = self.expressions[fold(name)]
        self._require_repeatable(name, meant)
        return exp.Paren(this=copy_expression(meant))

    def substitute_into(self, node: exp.Expr, is_alias: Callable[[str], bool]) -> None:
        """Replace aliases by their expressions, in place; queries inside `node` stay.

        Aliases inside an expression are replaced, too. An alias inside its own expression stays.
        The work is linear: no node is searched twice.

        Args:
            node: a condition, a window or an item of ORDER BY.
            is_alias: whether a name without a table is an alias here, and no column of a table.

        >>> from sqlglot import parse_one
        >>> select = parse_one("SELECT a + 1 AS b, b * 2 AS c WHERE c > b")
        >>> Aliases.of(select).substitute_into(select.args["where"], lambda name: name != "a")
        >>> select.args["where"].sql()
        'WHERE ((a + 1) * 2) > (a + 1)'
        """
        within: set[str] = set()
        pending: list[exp.Column | str] = list(reversed(own_columns(node)))
        while pending:
            column = pending.pop()
            if isinstance(column, str):
                # all columns of the alias's expression are done
                within.discard(column)
                continue
            name = "" if column.table or is_unit(column) else fold_identifier(column.this)
            alias = fold(name)
            if alias not in self.expressions or alias in within or not is_alias(name):
                continue
            part = self.expression(name)
            replace_node(part, column)
            within.add(alias)
            pending.append(alias)
            pending.extend(reversed(own_columns(part)))

    def _require_repeatable(self, name: str, meant: exp.Expr) -> None:
        """Require that a condition tests the value of the SELECT list, and no new RANDOM()."""
        names = VOLATILE - SEQUENCES if self.numbers_rows else VOLATILE
        for node in meant.walk():
            count_step()
            if is_volatile(node, names):
                hint = (
                    f"Compute {name} in a subquery: "
                    f"SELECT … FROM (SELECT … AS {name} FROM …) WHERE …."
                )
                message = f"Column {name!r} is another value each time it is computed."
                raise NotYet(message, hint=hint)
