"""The wall before Spark: only texts whose parsed plan has known kinds of nodes reach Spark.

The wall stands behind the quoting of names and texts, and does not rely on the quoting. A text that
passes runs no script, reads no file by path, writes no folder, and is no command. A table that the
text writes is in the session's own catalog.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.engine.plan_outline import Name, Outline, Outliner
from icemelt.errors import FunctionNotFound, Never
from icemelt.tables.iceberg import CATALOG, STAGED_CATALOG

__all__ = ["Wall", "require_allowed_nodes"]

_CATALYST = "org.apache.spark.sql.catalyst."
# Expressions pass: a dangerous part is a plan or a function, and both are checked separately.
_EXPRESSIONS = f"{_CATALYST}expressions."
_PLANS = """
Aggregate Distinct Except Filter GlobalLimit Intersect Join LateralJoin LocalLimit LocalRelation
Offset OneRowRelation OneRowRelation$ Pivot Project Sample Sort SubqueryAlias Union UnresolvedHint
UnresolvedWith Unpivot WithWindowDefinition
DeleteFromTable MergeIntoTable UpdateTable
Assignment DeleteAction InsertAction UpdateAction
"""
_UNRESOLVED = """
MultiAlias UnresolvedAlias UnresolvedAttribute UnresolvedExtractValue UnresolvedFunction
UnresolvedHaving UnresolvedInlineTable UnresolvedOrdinal UnresolvedRelation UnresolvedStar
UnresolvedStarExceptOrReplace UnresolvedSubqueryColumnAliases UnresolvedTVFAliases
UnresolvedTableValuedFunction
"""
_ALLOWED = frozenset(
    [f"{_CATALYST}plans.logical.{name}" for name in _PLANS.split()]
    + [f"{_CATALYST}analysis.{name}" for name in _UNRESOLVED.split()]
)
_OWN_VIEWS = "icemelt_"
_HINT = "Write a query of the lake's tables: SELECT … FROM …."


@dataclass(frozen=True, slots=True)
class Wall:
    """Checks a session's texts before Spark runs the texts.

    With `for_guest` a text may not call functions of a catalog: Iceberg's reveal facts about the
    server.
    """

    outliner: Outliner
    for_guest: bool = False

    def check_query(self, text: str) -> None:
        """Require a query, or a statement that writes a table of the session's catalog.

        Raises:
            Never: the text holds anything else.
            FunctionNotFound: a guest calls a function of a catalog.
        """
        require_allowed_nodes(self.outliner.outline_query(text), for_guest=self.for_guest)

    def check_expressions(self, texts: Sequence[str]) -> None:
        """Require expressions with permitted queries only.

        Raises:
            Never: an expression holds a query that may not run.
            FunctionNotFound: a guest calls a function of a catalog.
        """
        require_allowed_nodes(self.outliner.outline_expressions(texts), for_guest=self.for_guest)


def require_allowed_nodes(outline: Outline, *, for_guest: bool) -> None:
    """Require an outline with known kinds of nodes and the session's relations only.

    Raises:
        Never: the outline has another kind of node or another relation.
        FunctionNotFound: `for_guest` is on, and the text calls a function of a catalog.

    >>> plans = "org.apache.spark.sql.catalyst.plans.logical"
    >>> script = frozenset({f"{plans}.Project", f"{plans}.ScriptTransformation"})
    >>> nothing = frozenset()
    >>> require_allowed_nodes(Outline(script, nothing, nothing, nothing), for_guest=True)
    Traceback (most recent call last):
    icemelt.errors.Never: A statement has no part that is Spark's ScriptTransformation.
    Hint: Write a query of the lake's tables: SELECT … FROM ….
    """
    for name in sorted(outline.classes):
        if name not in _ALLOWED and not name.startswith(_EXPRESSIONS):
            kind = name.rsplit(".", 1)[-1].rstrip("$")
            raise Never(f"A statement has no part that is Spark's {kind}.", hint=_HINT)
    for relation in sorted(outline.relations):
        if not _is_own(relation, outline):
            raise Never(f"Relation {'.'.join(relation)!r} is no table of the lake.", hint=_HINT)
    for function in sorted(outline.functions):
        if for_guest and len(function) > 1:
            raise FunctionNotFound(
                f"Function {'.'.join(function)!r} does not exist.",
                hint="A function's name has one part; docs/sql.md lists the functions.",
            )


def _is_own(relation: Name, outline: Outline) -> bool:
    """Tell whether a relation is in the session's catalogs, an own view, or a query of WITH."""
    match relation:
        case (name,):
            queries = {query.lower() for query in outline.queries}
            return name.startswith(_OWN_VIEWS) or name.lower() in queries
        case (catalog, _):
            return catalog == STAGED_CATALOG
        case (catalog, _, _):
            return catalog == CATALOG
        case _:
            return False
