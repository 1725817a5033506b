"""UNION BY NAME: the columns of the branches meet by their names, and what a branch lacks is NULL.

The rewrite, of branches whose names are resolved:

    SELECT a, b FROM t UNION ALL BY NAME SELECT c, a FROM u
    SELECT n.a, n.b, NULL AS c FROM (SELECT a, b FROM t) AS n
      UNION ALL SELECT n.a, NULL AS b, n.c FROM (SELECT c, a FROM u) AS n
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from icemelt.errors import NotYet, QueryError
from icemelt.names import fold
from icemelt.schema import DataType
from icemelt.sql.analysis.kinds import set_kind
from icemelt.sql.analysis.scopes import RelationColumns

__all__ = ["match_by_name", "unite_columns"]


def match_by_name(
    operations: Sequence[exp.SetOperation], relations: Sequence[RelationColumns], alias: str
) -> list[RelationColumns]:
    """Give all branches of a UNION BY NAME the same columns; return the columns of the branches.

    Args:
        operations: the operations, from the outermost to the innermost one.
        relations: the columns of the branches, in the order of the text.
        alias: a name that no column has.

    Raises:
        NotYet: only some of the operations are BY NAME, or the columns are not known.
        QueryError: a branch has two columns of one name.
    """
    if not all(each.args.get("by_name") and isinstance(each, exp.Union) for each in operations):
        raise NotYet(
            "BY NAME is for UNION, and for all that are side by side.",
            hint="Put the other set operation into parentheses.",
        )
    names: dict[str, str] = {}
    for relation in relations:
        for name in _require_columns(relation):
            names.setdefault(fold(name), name)
    innermost = operations[-1]
    places = [(innermost, "this"), *((each, "expression") for each in reversed(operations))]
    matched = []
    for (operation, part), relation in zip(places, relations, strict=True):
        branch = operation.args[part]
        _require_distinct(branch, relation)
        operation.set(part, _shape_branch(branch, relation, names, alias))
        matched.append(_shape_columns(relation, names))
    for operation in operations:
        operation.args.pop("by_name")
    return matched


def unite_columns(relations: Sequence[RelationColumns]) -> RelationColumns:
    """Return the columns of matched branches, each with the type that a branch knows it to have.

    >>> from icemelt.schema import Primitive
    >>> branches = [RelationColumns({"a": None}), RelationColumns({"a": Primitive("long")})]
    >>> unite_columns(branches).columns
    {'a': Primitive(name='long', length=None)}
    """
    united = dict(relations[0].columns or {})
    for relation in relations[1:]:
        for name, kind in (relation.columns or {}).items():
            united[name] = united.get(name) or kind
    return RelationColumns(united)


def _require_columns(relation: RelationColumns) -> dict[str, DataType | None]:
    if relation.columns is None:
        raise NotYet(
            "The columns of a branch of UNION BY NAME are not known.",
            hint="Name its columns in SELECT.",
        )
    return relation.columns


def _require_distinct(branch: exp.Expr, relation: RelationColumns) -> None:
    """Refuse two columns of one name, of which neither could be meant."""
    written = branch.expressions if isinstance(branch, exp.Select) else []
    has_stars = any(value.is_star for value in written)
    if written and not has_stars and len(written) != len(relation.columns or {}):
        raise QueryError(
            "A branch of UNION BY NAME has two columns of one name.",
            hint="Give one of them another name: SELECT a AS other.",
        )


def _shape_branch(
    branch: exp.Expr, relation: RelationColumns, names: dict[str, str], alias: str
) -> exp.Select:
    """Return a branch with the columns of all branches, in their order.

    Args:
        branch: the query of the branch.
        relation: its columns.
        names: the names of all columns, by folded name.
        alias: a name that no column has.
    """
    own = {fold(name): (name, kind) for name, kind in _require_columns(relation).items()}
    values: list[exp.Expr] = []
    for folded, title in names.items():
        if folded not in own:
            values.append(exp.alias_(exp.Null(), title, quoted=True))
            continue
        name, kind = own[folded]
        column = exp.column(_quoted(name), table=_quoted(alias))
        set_kind(column, kind)
        values.append(exp.alias_(column, title, quoted=True))
    inner = branch.this if isinstance(branch, exp.Subquery) else branch
    source = exp.Subquery(this=inner, alias=exp.TableAlias(this=_quoted(alias)))
    return exp.Select(expressions=values, from_=exp.From(this=source))


def _shape_columns(relation: RelationColumns, names: dict[str, str]) -> RelationColumns:
    own = {fold(name): kind for name, kind in _require_columns(relation).items()}
    columns = {title: own.get(folded) for folded, title in names.items()}
    return RelationColumns(columns, inlined_sizes=relation.inlined_sizes)


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)
