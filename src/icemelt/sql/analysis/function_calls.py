"""Calls of users' functions in a statement: each becomes the expression of its function."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from icemelt.errors import DefinitionRefused, FunctionNotFound
from icemelt.names import ObjectName, QualifiedName
from icemelt.sql.analysis.scopes import ColumnsOf, Scope
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.trees import replace_node
from icemelt.sql.analysis.user_functions import (
    FunctionName,
    Overloads,
    choose_function,
    make_body,
    put_arguments,
)

__all__ = ["FunctionCalls"]


class FunctionCalls:
    """The calls of one statement."""

    def __init__(
        self,
        slots: StatementSlots,
        columns_of: ColumnsOf | None,
        resolve: Callable[[exp.Expr, Scope], None],
    ) -> None:
        """Keep the parts of the statement.

        Args:
            slots: the slots of the statement, which note the functions.
            columns_of: a function that returns the functions of a name; None where the caller knows
                none.
            resolve: resolves the parts of an expression in a scope.
        """
        self._slots = slots
        self._columns_of = columns_of
        self._resolve = resolve
        # the functions whose expressions are being resolved, outermost first
        self._inside: list[QualifiedName] = []

    def inline(self, call: exp.Anonymous) -> bool:
        """Put the expression of a user's function in place of a call whose arguments are resolved.

        Return False for a call of another function.

        Raises:
            FunctionNotFound: no function of the name takes such arguments.
            DefinitionRefused: a function calls itself.
            NotYet: an argument would be computed several times, or the expression is too large.
        """
        overloads = self._find_overloads(call)
        if overloads is None:
            return False
        function, given = choose_function(call, overloads.functions)
        if function.name in self._inside:
            raise DefinitionRefused(
                f"Function {str(function.name)!r} calls itself.",
                hint="CREATE OR REPLACE FUNCTION with an expression that does not.",
            )
        self._slots.user_functions[function.name] = None
        around = exp.Paren(this=make_body(function))
        defaults = {
            at: exp.Paren(this=argument.default.copy())
            for at, argument in enumerate(function.arguments)
            if argument.default is not None and given[at] is argument.default
        }
        self._inside.append(function.name)
        for part in (around, *defaults.values()):
            self._resolve(part, Scope())
        self._inside.pop()
        given = [defaults.get(at, value) for at, value in enumerate(given)]
        put_arguments(around, function, given)
        body: exp.Expr = around.this
        if "written" in call.meta:
            body.meta["written"] = call.meta["written"]
        replace_node(body, call)
        return True

    def _find_overloads(self, call: exp.Anonymous) -> Overloads | None:
        """Return the functions of users that a call may mean; None for another function."""
        if self._columns_of is None:
            return None
        path: tuple[str, ...] = call.meta.get("path", ())
        home = self._inside[-1] if self._inside else None
        place = None if home is None else (home.database, home.schema)
        own = call.name.lower()
        found = self._columns_of(FunctionName(ObjectName((*path, own)), place))
        if isinstance(found, Overloads) and found.functions:
            return found
        if path or isinstance(found, Overloads):
            raise FunctionNotFound(
                f"Function {'.'.join((*path, own))!r} does not exist.",
                hint="SHOW USER FUNCTIONS lists the functions.",
            )
        return None
