"""`sequence.NEXTVAL` in a statement: the sequence that it names, and where it may stand."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import ObjectName, fold
from icemelt.sql.analysis.scopes import FromSource, Scope
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["find_sequence", "is_computed_once"]

_NEXTVAL = "nextval"
_OUTERMOST = "SELECT s.NEXTVAL, q.* FROM (SELECT …) AS q"


def find_sequence(node: exp.Column, scope: Scope) -> ObjectName | None:
    """Return the sequence whose next value a name means, None for a column of a table.

    A column NEXTVAL of an entry of FROM, and a part of a column, come before a sequence.
    """
    if isinstance(node.this, exp.Star):
        return None
    *path, name = [fold_identifier(part) for part in node.parts]
    if not path or fold(name) != _NEXTVAL:
        return None
    if scope.owner(tuple(path)) is not None or scope.find(path[0]) is not None:
        return None
    return None if _has_column(scope, path[0]) else ObjectName(tuple(path))


def is_computed_once(node: exp.Expr, *, in_value: bool) -> bool:
    """Tell whether a NEXTVAL is computed for one row, not for each row of a table.

    Args:
        node: the mention of NEXTVAL.
        in_value: whether the expression around is a value that a MERGE or UPDATE writes.

    Raises:
        NotYet: a NEXTVAL cannot stand there.

    >>> [column] = exp.select("s.NEXTVAL").expressions
    >>> is_computed_once(column, in_value=False)
    True
    """
    part, query = node, node.parent
    while query is not None and not isinstance(query, (exp.Query, exp.Values, exp.CTE)):
        part, query = query, query.parent
    if isinstance(query, exp.Values):
        return True
    if query is None and in_value:
        return False
    if not isinstance(query, exp.Select) or part.arg_key != "expressions":
        raise NotYet(
            "NEXTVAL stands in the list of a SELECT, in VALUES, and in values that MERGE and "
            "UPDATE write.",
            hint=_OUTERMOST,
        )
    for clause in ("distinct", "group", "having"):
        if query.args.get(clause):
            raise NotYet(
                f"NEXTVAL beside {clause.upper().replace('GROUP', 'GROUP BY')} is not supported.",
                hint=_OUTERMOST,
            )
    is_single = query.args.get("from_") is None
    _require_read_once(query, is_single=is_single)
    return is_single


def _require_read_once(query: exp.Expr, *, is_single: bool) -> None:
    """Require that the rows of a query are computed once: in FROM, or as the whole statement."""
    child, parent = query, query.parent
    while parent is not None:
        is_source = isinstance(parent, (exp.From, exp.Join)) and child.arg_key == "this"
        is_whole = isinstance(parent, (exp.Union, exp.Subquery)) and child.arg_key != "with_"
        is_whole |= isinstance(parent, exp.Paren) and isinstance(child, exp.SetOperation)
        is_outer = isinstance(parent, exp.Select) and isinstance(child, (exp.From, exp.Join))
        is_named = isinstance(parent, (exp.CTE, exp.With)) or child.arg_key == "with_"
        if not (is_source or is_whole or is_outer or (is_named and is_single)):
            raise NotYet(
                "NEXTVAL in a query within an expression, in LATERAL or in WITH is not supported.",
                hint=_OUTERMOST,
            )
        child, parent = parent, parent.parent
    if isinstance(child, exp.From) and not is_single:
        raise NotYet(
            "NEXTVAL in USING of a MERGE is not supported.",
            hint="WHEN NOT MATCHED THEN INSERT (id) VALUES (s.NEXTVAL)",
        )


def _has_column(scope: Scope, name: str) -> bool:
    found: Scope | None = scope
    while found is not None:
        if any(_is_known_of(source, name) for source in found.sources):
            return True
        found = found.parent
    return False


def _is_known_of(source: FromSource, name: str) -> bool:
    return any(fold(column) == fold(name) for column in source.relation.named or ())
