"""Names that Spark computes where no column has them, as `current_date`."""

from __future__ import annotations

from sqlglot import exp

from icemelt.names import fold
from icemelt.sql.analysis.scopes import Scope
from icemelt.sql.analysis.trees import own_columns
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["may_be_a_value", "stands_for_an_alias"]

# names that Spark computes where no column has the name, such as the system's user
_SPARKS_VALUES = frozenset(
    {
        *("current_catalog", "current_database", "current_date", "current_schema", "current_time"),
        *("current_timestamp", "current_user", "grouping__id", "localtime", "localtimestamp"),
        *("session_user", "user"),
    }
)


def may_be_a_value(column: exp.Column, scope: Scope) -> bool:
    """Tell whether Spark may compute a value in place of a column, such as `current_date`.

    Spark sorts the rows of a SELECT by an alias, and the rows of a set operation by its columns:
    there a name is no value.
    """
    name = fold(fold_identifier(column.this))
    if name not in _SPARKS_VALUES:
        return False
    order = column.find_ancestor(exp.Order, exp.Query)
    is_sorted = isinstance(order, exp.Order) and isinstance(order.parent, exp.Query)
    is_select = isinstance(column.find_ancestor(exp.Query), exp.Select)
    return not (is_sorted and (name in scope.titles or not is_select))


def stands_for_an_alias(name: str, scope: Scope) -> bool:
    """Tell whether a name is an alias that Spark does not see, and no column of a table."""
    meant = scope.aliases.expressions.get(fold(name))
    if meant is None or not scope.lacks(name) or meant.find(exp.Query) is not None:
        return False
    # an alias that is made of such values itself may lead back to the column
    return all(
        fold(fold_identifier(column.this)) not in _SPARKS_VALUES for column in own_columns(meant)
    )
