"""Identifiers: the name that an identifier of a statement means."""

from __future__ import annotations

from sqlglot import exp

from icemelt.spark_sql.own_columns import METADATA_COLUMNS

__all__ = ["fold_identifier"]


def fold_identifier(identifier: exp.Expr | None) -> str:
    """Return the name meant by an identifier: as written in quotes, otherwise in lower case.

    Columns such as METADATA$ACTION are in upper case. Anything that is no identifier, such as None,
    gives an empty name.

    The result is a name to show and to store. Look-ups compare names by `names.fold`, which leaves
    out the case of quoted names too; `QualifiedName.folded` is that form of a qualified name.

    >>> lower = fold_identifier(exp.to_identifier("Orders"))
    >>> quoted = fold_identifier(exp.to_identifier("Orders", quoted=True))
    >>> lower, quoted
    ('orders', 'Orders')
    """
    if not isinstance(identifier, exp.Identifier):
        return ""
    if identifier.quoted:
        return identifier.name
    upper = identifier.name.upper()
    return upper if upper in METADATA_COLUMNS else identifier.name.lower()
