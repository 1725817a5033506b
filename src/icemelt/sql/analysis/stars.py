"""Stars and names of a SELECT's columns; stars without a form in Spark are written out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from sqlglot import exp

from icemelt.errors import ColumnNotFound, Never, NotYet, SqlSyntaxError
from icemelt.names import find_nearest, fold
from icemelt.patterns import is_like
from icemelt.schema import DataType, Primitive
from icemelt.sql.analysis.column_uses import counts_rows
from icemelt.sql.analysis.kinds import kind_of, set_kind
from icemelt.sql.analysis.scopes import FromSource, Scope
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.trees import own_parts, plain_name
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import Repeated, count_repetition

__all__ = [
    "NamedColumns",
    "leave_out_pseudo_columns",
    "list_outputs",
    "write_out_counted_star",
    "write_out_stars",
    "write_out_variants",
]


_CLAUSES_OF_SOURCES = ("from_", "joins", "with_")


class NamedColumns(exp.Star):  # type: ignore[misc, unused-ignore]
    """A star inside a function, written out as columns with names."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


def write_out_stars(select: exp.Select, scope: Scope) -> None:
    """Write out stars that Spark does not have: with RENAME, REPLACE or ILIKE, or hashed."""
    select.set(
        "expressions", [output for one in select.expressions for output in _expand_star(one, scope)]
    )
    _write_out_hashed_stars(select, scope)


def write_out_counted_star(node: exp.Expr, scope: Scope) -> None:
    """Write out the star of a COUNT that looks for NULLs, in place; `COUNT(*)` counts all rows.

    `COUNT(t.*)`, `COUNT(* EXCLUDE a)` and `COUNT(DISTINCT *)` count the rows whose columns are all
    other than NULL. Stars over columns that are not known stay.

    Args:
        node: any node of an expression, before its columns are resolved.
        scope: the scope of the expression.

    Raises:
        ColumnNotFound: the star gives no column, or FROM has no such table.
    """
    if not isinstance(node, exp.Anonymous) or node.name.upper() != "COUNT":
        return
    holder = node.expressions[0] if len(node.expressions) == 1 else node
    holder = holder if isinstance(holder, exp.Distinct) else node
    if len(holder.expressions) != 1:
        return
    [counted] = holder.expressions
    star = _star_of(counted)
    if star is None or (holder is node and counted is star and not any(star.args.values())):
        return
    sources = _sources_of_star(counted, scope)
    if any(source.relation.columns is None for source in sources):
        return
    if not sources:
        raise ColumnNotFound(
            f"FROM has no {counted.sql()[:-2]!r}.",
            hint="Write COUNT(*), or the alias of a table of FROM before .*.",
        )
    columns = [column.unalias() for column in _write_out_star(counted, scope)]
    if not columns:
        raise ColumnNotFound("COUNT of * gives no column.", hint="Write COUNT(*), or a column.")
    holder.set("expressions", columns)


def write_out_variants(select: exp.Select, scope: Scope) -> None:
    """Write out the stars that give a variant: Spark finds no distinct rows of one."""
    outputs: list[exp.Expr] = []
    for projection in select.expressions:
        star = _star_of(projection)
        sources = [] if star is None else _sources_of_star(projection, scope)
        kinds = [kind for each in sources for kind in (each.relation.columns or {}).values()]
        if Primitive("variant") in kinds:
            outputs += _write_out_star(projection, scope)
        else:
            outputs.append(projection)
    select.set("expressions", outputs)


def leave_out_pseudo_columns(slots: StatementSlots, select: exp.Select, scope: Scope) -> None:
    """Leave the pseudo columns that a SELECT names out of its stars: Spark's stars have them.

    Args:
        slots: the slots of the statement, with the columns that the SELECT names.
        select: the SELECT, whose names are resolved.
        scope: the scope of the SELECT.
    """
    if not any(source.relation.pseudo and source.slot for source in scope.sources):
        return
    for star in _own_stars(select):
        if counts_rows(star):
            continue
        around = star.parent if isinstance(star.parent, exp.Column) else star
        for source in _sources_of_star(around, scope):
            _except_pseudo_columns(slots, star, source)


def list_outputs(select: exp.Select, scope: Scope) -> dict[str, DataType | None] | None:
    """Return the types of a SELECT's columns by name, or None where the columns are not known."""
    columns: dict[str, DataType | None] = {}
    for projection in select.expressions:
        star = _star_of(projection)
        if star is None:
            columns[_output_name(projection)] = kind_of(projection)
            continue
        sources = _sources_of_star(projection, scope)
        if not sources:
            return None
        left_out = _names_in(star, "except_")
        for source in sources:
            if source.relation.columns is None:
                return None
            items = source.relation.columns.items()
            columns |= {name: kind for name, kind in items if fold(name) not in left_out}
    return columns


def _write_out_hashed_stars(select: exp.Select, scope: Scope) -> None:
    """Write out the stars in HASH and HASH_AGG, which read each column by its type."""
    if any(source.relation.columns is None for source in scope.sources):
        return
    for star in _own_stars(select):
        around = star.parent if isinstance(star.parent, exp.Column) else star
        holder = around.parent
        call = holder.parent if isinstance(holder, exp.Distinct) else holder
        if holder is not None and isinstance(call, exp.Anonymous) and _hashes(call):
            values = [
                column.unalias()
                for each in holder.expressions
                for column in (_write_out_star(each, scope) if each is around else [each])
            ]
            holder.set("expressions", values)


def _hashes(call: exp.Anonymous) -> bool:
    return call.name.upper() in {"HASH", "HASH_AGG"}


def _own_stars(select: exp.Select) -> list[exp.Star]:
    """Return the stars of a SELECT outside of FROM and of inner queries."""
    clauses = [value for name, value in select.args.items() if name not in _CLAUSES_OF_SOURCES]
    parts = [part for value in clauses for part in (value if isinstance(value, list) else [value])]
    return [
        star for part in parts if isinstance(part, exp.Expr) for star in own_parts(part, exp.Star)
    ]


def _except_pseudo_columns(slots: StatementSlots, star: exp.Star, source: FromSource) -> None:
    """Add the pseudo columns of an entry of FROM that the statement names to a star's EXCEPT."""
    named = slots.columns_of(source.slot) if source.slot else frozenset()
    for name in sorted(named & source.relation.pseudo.keys()):
        column = exp.Column(this=exp.to_identifier(name, quoted=True), table=source.identifier())
        star.append("except_", column)


def _output_name(projection: exp.Expr) -> str:
    if isinstance(projection, exp.Alias):
        return fold_identifier(projection.args["alias"])
    if isinstance(projection, exp.Column):
        return fold_identifier(projection.this)
    return str(projection.meta.get("written", ""))


def _star_of(projection: exp.Expr) -> exp.Star | None:
    star = projection.this if isinstance(projection, exp.Column) else projection
    return star if isinstance(star, exp.Star) else None


def _sources_of_star(projection: exp.Expr, scope: Scope) -> list[FromSource]:
    """Return the entries of FROM that a star means."""
    table = projection.args.get("table")
    sources = [
        source
        for source in scope.sources
        if table is None or fold(source.alias) == fold(fold_identifier(table))
    ]
    if any(source.is_files for source in sources):
        raise Never(
            "Files have no list of columns, which * would give: they are read by position.",
            hint="Write SELECT $1, $2 FROM @stage/path.",
        )
    return sources


def _expand_star(projection: exp.Expr, scope: Scope) -> list[exp.Expr]:
    """Return the columns of a star with RENAME, REPLACE or ILIKE; leave the rest unchanged."""
    star = _star_of(projection)
    if star is None or not any(star.args.get(word) for word in ("replace", "rename", "ilike")):
        return [projection]
    return _write_out_star(projection, scope)


def _write_out_star(projection: exp.Expr, scope: Scope) -> list[exp.Expr]:
    star = _star_of(projection)
    if star is None:
        return [projection]
    for word in ("replace", "rename"):
        if not all(isinstance(item, exp.Alias) for item in star.args.get(word) or ()):
            hint = f"Write * {word.upper()} (… AS name)."
            raise SqlSyntaxError(f"{word.upper()} of * takes items with AS.", hint=hint)
    replaced = {
        fold(fold_identifier(item.args["alias"])): item.this
        for item in star.args.get("replace") or ()
    }
    renamed = {
        fold(plain_name(item.this)): item.args["alias"] for item in star.args.get("rename") or ()
    }
    left_out = _names_in(star, "except_")
    pattern = star.args["ilike"].name if star.args.get("ilike") else None
    columns_of_star = _columns_of_star(projection, scope)
    names = [name for _, name, _ in columns_of_star]
    _require_columns((*replaced, *renamed), names, "which * shall change")
    _require_columns(sorted(left_out), names, "which * shall leave out")
    columns: list[exp.Expr] = []
    for source, name, kind in columns_of_star:
        key = fold(name)
        if key in left_out or (pattern is not None and not is_like(name, pattern)):
            continue
        table = source.identifier() if source.alias else None
        value = exp.Column(this=exp.to_identifier(name, quoted=True), table=table)
        set_kind(value, kind)
        title = renamed.get(key) or exp.to_identifier(name, quoted=True)
        if key in replaced or key in renamed:
            columns.append(exp.Alias(this=replaced.get(key, value), alias=title.copy()))
        else:
            columns.append(value)
    return columns


def _columns_of_star(
    projection: exp.Expr, scope: Scope
) -> list[tuple[FromSource, str, DataType | None]]:
    columns: list[tuple[FromSource, str, DataType | None]] = []
    for source in _sources_of_star(projection, scope):
        count_repetition(len(source.relation.columns or ()), Repeated.COLUMN)
        if source.relation.columns is None:
            hint = "List the columns, or use * EXCLUDE."
            raise NotYet("RENAME, REPLACE and ILIKE of * need columns that are known.", hint=hint)
        columns += [(source, name, kind) for name, kind in source.relation.columns.items()]
    return columns


def _require_columns(wanted: Iterable[str], names: list[str], why: str) -> None:
    folded_names = {fold(name) for name in names}
    for name in wanted:
        if name not in folded_names:
            close = find_nearest(name, names)
            raise ColumnNotFound(
                f"Column {name!r}, {why}, does not exist.",
                hint=f"Did you mean {close!r}?" if close else f"* gives {', '.join(names)}.",
            )


def _names_in(star: exp.Star, word: str) -> set[str]:
    return {fold(plain_name(item)) for item in star.args.get(word) or ()}
