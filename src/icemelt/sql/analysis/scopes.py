"""Scopes: the names visible in a SELECT, and the columns behind every name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from icemelt.errors import ColumnNotFound, QueryError
from icemelt.names import HIDDEN_COLUMNS, ObjectName, fold
from icemelt.schema import DataType, Primitive
from icemelt.spark_sql.loading import BROKEN, PLACE_TYPES
from icemelt.spark_sql.own_columns import FILE_METADATA_COLUMNS
from icemelt.sql.analysis.aliases import Aliases
from icemelt.sql.analysis.kinds import kind_of, unite_kinds
from icemelt.sql.analysis.table_functions import TableFunction
from icemelt.sql.analysis.user_functions import FunctionName
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.statements import PivotValues, ResultScan, StageDirectory, StageFiles

__all__ = [
    "Carrier",
    "ColumnsOf",
    "EntryName",
    "FileColumns",
    "FromSource",
    "InlinedSize",
    "RelationColumns",
    "Scope",
    "common_columns",
    "object_name",
]


# what an entry of FROM names: a table, the files of a stage, a stage's directory table, a result;
# and the functions of users, whose results have types, and the values of a PIVOT
EntryName = ObjectName | StageFiles | StageDirectory | ResultScan | FunctionName | PivotValues


class ColumnsOf(Protocol):
    """Returns the columns of a table or of files, or None for an unknown table or file format.

    Of a function's name it returns the functions of that name, as `Overloads`; of the values of a
    PIVOT the type of each by its text.
    """

    def __call__(self, name: EntryName, /) -> Mapping[str, DataType] | None:
        """Return the types by column name, in order; of files, the type of `$1`."""
        ...


class FileColumns(dict[str, DataType]):
    """The types of an external table's columns.

    Attributes:
        partitions: the folded names of the columns that are known of a file before the file is
            opened.
        pseudo: the types of the pseudo columns that a query may name.
    """

    def __init__(
        self,
        types: Mapping[str, DataType],
        partitions: Iterable[str] = (),
        pseudo: Mapping[str, DataType] = FILE_METADATA_COLUMNS,
    ) -> None:
        super().__init__(types)
        self.partitions = frozenset(map(fold, partitions))
        self.pseudo = pseudo


# Spark's reader of CSV files takes at most so many columns
_MOST_FILE_COLUMNS = 20_480
# the columns that COPY INTO adds to its query
_OWN_FILE_COLUMNS = frozenset((*PLACE_TYPES, BROKEN))
# names of icemelt's own text, such as the parameters of lambdas
_INTERNAL_NAME = re.compile(r"__icemelt_[a-z]+\Z")


@dataclass(slots=True)
class InlinedSize:
    """The inlined size of a column, and the items of SELECT lists that compute the column."""

    value: int = 1
    makers: list[exp.Expr] = field(default_factory=list)


@dataclass(slots=True)
class RelationColumns:
    """The columns behind one name of FROM.

    Attributes:
        columns: the types by column name; None where the columns are not known.
        reads: how many tables a query of WITH reads; a table counts as often as the query reads it.
        mentions: how often the statement has named a query of WITH so far.
        part: the slot of a query of WITH; empty for any other relation, and for a recursive query.
        has_numbers: whether a query of WITH has the column SEQ of a table function.
        inlined_sizes: the inlined sizes above one, by folded column name.
        partitions: the folded names of the columns by which an external table's files are pruned.
        pseudo: the types of the columns that can be named, and that `*` leaves out.
    """

    columns: dict[str, DataType | None] | None = None
    reads: int = 1
    mentions: int = 0
    part: str = ""
    has_numbers: bool = False
    inlined_sizes: dict[str, InlinedSize] = field(default_factory=dict)
    partitions: frozenset[str] = frozenset()
    pseudo: Mapping[str, DataType] = field(default_factory=dict)

    @property
    def named(self) -> Mapping[str, DataType | None] | None:
        """The types of all columns that can be named; None where the columns are not known."""
        if self.columns is None or not self.pseudo:
            return self.columns
        return {**self.pseudo, **self.columns}

    def rename_columns(self, names: Iterable[exp.Expr]) -> RelationColumns:
        """Return the columns under the column names of an alias."""
        aliases = [fold_identifier(name) for name in names]
        if not aliases:
            return self
        types = list((self.columns or {}).values())
        types += [None] * (len(aliases) - len(types))
        sizes = self.sizes_by_position(list(map(fold, aliases)))
        return RelationColumns(dict(zip(aliases, types, strict=False)), inlined_sizes=sizes)

    def sizes_by_position(self, names: list[str]) -> dict[str, InlinedSize]:
        """Return the inlined sizes under other folded names, by the positions of the columns."""
        pairs = zip(names, map(fold, self.columns or ()), strict=False)
        return {new: self.inlined_sizes[old] for new, old in pairs if old in self.inlined_sizes}


def common_columns(branches: Sequence[RelationColumns]) -> dict[str, DataType | None] | None:
    """Return the columns of a set operation: the names of its first branch, the common types.

    >>> first, second = {"a": Primitive("long")}, {"b": Primitive("variant")}
    >>> common_columns([RelationColumns(first), RelationColumns(second)])
    {'a': Primitive(name='variant', length=None)}
    """
    columns = branches[0].columns
    kinds = [list((branch.columns or {}).values()) for branch in branches]
    if columns is None or any(len(each) != len(columns) for each in kinds):
        return columns
    united = (unite_kinds(of_column) for of_column in zip(*kinds, strict=True))
    return dict(zip(columns, united, strict=True))


@dataclass(slots=True)
class FromSource:
    """An entry of FROM.

    Attributes:
        alias: the name of the entry.
        relation: the columns of the entry.
        path: the parts of the table's name, for a table that is written without an alias.
        function: the table function whose first column is SEQ; None for any other entry.
        key: the key that `StatementSlots.new_entry_key` gave the entry.
        slot: the slot of the table; empty for any other entry.
        is_files: whether the entry is files of a stage.
    """

    alias: str
    relation: RelationColumns
    path: tuple[str, ...] = ()
    function: TableFunction | None = None
    key: int = 0
    slot: str = ""
    is_files: bool = False

    def identifier(self) -> exp.Identifier:
        """Return the alias as an identifier, with the key for hidden aliases in the slots."""
        name: exp.Identifier = exp.to_identifier(self.alias, quoted=True)
        name.meta["source"] = self.key
        return name

    def name_file_column(self, position: int) -> str:
        """Return the name of a column of files by its position; the column is there from now on.

        Raises:
            ColumnNotFound: the files have fewer columns.
        """
        columns = self.relation.columns or {}
        names = list(columns)
        kind = columns.get("$1")
        if "$1" not in columns or position < 1:
            # the column names of an alias
            if not 1 <= position <= len(names):
                hint = f"Write $1 to ${len(names)}." if "$1" not in columns else "Write $1, $2, …."
                raise ColumnNotFound(f"Column ${position} does not exist.", hint=hint)
            return names[position - 1]
        if position > 1 and kind == Primitive("variant"):
            raise ColumnNotFound(
                f"Column ${position} does not exist: each record of the files is one VARIANT, $1.",
                hint="Write $1:name for a part of it.",
            )
        if position > _MOST_FILE_COLUMNS:
            raise ColumnNotFound(
                f"Column ${position} does not exist: files have {_MOST_FILE_COLUMNS:,} columns at "
                "most.",
                hint="Write $1, $2, ….",
            )
        columns.setdefault(f"${position}", kind)
        return f"${position}"

    def may_have(self, column: str) -> bool:
        """Tell whether the entry has a column, or may have the column."""
        columns = self.relation.named
        return columns is None or any(fold(name) == fold(column) for name in columns)


@dataclass(slots=True)
class Carrier:
    """An entry of FROM with one row and one column, whose value is a column of an outer row.

    Attributes:
        alias: the name of the entry.
        column: the name of the column.
        value: the column of the outer row.
        is_in_from: whether another entry of FROM, or the condition of a join, reads the column.
        is_above_groups: whether an expression over groups reads the column.
    """

    alias: str
    column: str
    value: exp.Expr | None = None
    is_in_from: bool = False
    is_above_groups: bool = False


@dataclass(slots=True)
class Scope:
    """The names that one SELECT sees.

    Where `compares` is true, the first source is the target of a write, and the other sources are
    compared with the target. A rewriting may put target and sources into two SELECTs, so each
    column has to name its table.

    Attributes:
        parent: the scope of the SELECT around.
        sources: the entries of FROM.
        ctes: the columns of the CTEs in scope, by folded name.
        generator: whether FROM has GENERATOR.
        titles: the folded aliases of the SELECT list.
        aliases: the expressions of these aliases, as written.
        compares: whether the sources are compared with the first source.
        unsettled: the columns that do not name their table.
        select: the SELECT.
        carriers: the carriers that FROM is to have, by the key of the outer row's entry and the
            folded name of the column.
        variants: the carriers of the variants that subqueries read, by the key of the entry and the
            text of the variant.
    """

    parent: Scope | None = None
    sources: list[FromSource] = field(default_factory=list)
    ctes: Mapping[str, RelationColumns] = field(default_factory=dict)
    generator: bool = False
    titles: frozenset[str] = frozenset()
    aliases: Aliases = field(default_factory=Aliases)
    compares: bool = False
    unsettled: list[str] = field(default_factory=list)
    select: exp.Select | None = None
    carriers: dict[tuple[int, str], Carrier] = field(default_factory=dict)
    variants: dict[tuple[int, str], Carrier] = field(default_factory=dict)

    def inner(self) -> Scope:
        """Return a scope inside this scope."""
        return Scope(self, ctes=self.ctes)

    def find(self, alias: str) -> FromSource | None:
        """Return the source with an alias, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            for source in scope.sources:
                if fold(source.alias) == fold(alias):
                    return source
            scope = scope.parent
        return None

    def owner(self, path: tuple[str, ...]) -> FromSource | None:
        """Return the table without an alias and with a name that ends in the parts of a path."""
        wanted = tuple(fold(part) for part in path)
        scope: Scope | None = self
        while scope is not None:
            tables = [
                source
                for source in scope.sources
                if source.path and _ends_alike(tuple(map(fold, source.path)), wanted)
            ]
            if len(tables) > 1:
                hint = "Give each table an alias, or write more of its name."
                raise QueryError(f"'{'.'.join(path)}' is more than one table here.", hint=hint)
            if tables:
                return tables[0]
            scope = scope.parent
        return None

    def lacks(self, name: str) -> bool:
        """Tell whether no source, here or in a SELECT around, can have a column."""
        scope: Scope | None = self
        while scope is not None:
            if any(source.may_have(name) for source in scope.sources):
                return False
            scope = scope.parent
        return True

    def require_column_of_files(self, name: str) -> None:
        """Refuse a column that nothing here has, where FROM has files and nothing else.

        Raises:
            ColumnNotFound: there is no such column; the hint tells the columns of files.
        """
        has_files_alone = self.sources and all(source.is_files for source in self.sources)
        is_own = fold(name) in _OWN_FILE_COLUMNS
        if has_files_alone and not is_own and fold(name) not in self.titles and self.lacks(name):
            raise ColumnNotFound(
                f"Column {name!r} does not exist: columns of files have numbers.",
                hint="Write $1, $1:name, METADATA$FILENAME, METADATA$FILE_ROW_NUMBER or "
                "METADATA$FILE_LAST_MODIFIED.",
            )

    def only_owner(self, name: str) -> FromSource | None:
        """Return the source that a column has to name, or None for a column of this SELECT.

        Raises:
            ColumnNotFound: no source has the column.
        """
        if self.has(name):
            return None
        scope: Scope | None = self
        sources: list[FromSource] = []
        while scope is not None and not sources:
            sources = [source for source in scope.sources if source.may_have(name)]
            scope = scope.parent
        if not sources:
            hint = "DESCRIBE TABLE lists the columns."
            if fold(name) in self.titles:
                hint = f"Write the expression, or call the column otherwise than {name!r}."
            raise ColumnNotFound(f"Column {name!r} does not exist.", hint=hint)
        return sources[0] if len(sources) == 1 and sources[0].alias else None

    def has(self, name: str) -> bool:
        """Tell whether a source here is known to have a column."""
        known = (source.relation.named or () for source in self.sources)
        return any(fold(column) == fold(name) for columns in known for column in columns)

    def require_visible(self, *names: str) -> None:
        """Require visible names: no hidden column of tables, unless a SELECT here offers it.

        Raises:
            ColumnNotFound: a name is a hidden column of tables, or a name of icemelt's own text.
        """
        for name in names:
            is_own = _INTERNAL_NAME.match(fold(name)) is not None
            if is_own or (fold(name) in HIDDEN_COLUMNS and not self._offers(name)):
                raise ColumnNotFound(
                    f"Column {name!r} does not exist.", hint="DESCRIBE TABLE lists the columns."
                )

    def _offers(self, name: str) -> bool:
        """Tell whether a column, an alias or a source is known to have a name, here or around."""
        scope: Scope | None = self
        while scope is not None:
            known = [scope.titles, *(source.relation.named or () for source in scope.sources)]
            if any(fold(offered) == fold(name) for names in known for offered in names):
                return True
            scope = scope.parent
        return self.find(name) is not None

    def captures(self, source: FromSource) -> bool:
        """Tell whether a nearer SELECT may have a column with the name of a source further out.

        Spark reads `a.b` as the field b of a nearer column a before a table a further out.
        """
        scope: Scope | None = self
        while scope is not None and not any(entry is source for entry in scope.sources):
            nearer = any(entry.may_have(source.alias) for entry in scope.sources)
            if nearer or fold(source.alias) in scope.titles:
                return True
            scope = scope.parent
        return False

    def owner_to_write(self, name: str) -> FromSource | None:
        """Return the source of an unqualified column, if it has to be written before the column.

        Raises:
            QueryError: the target and a source that is compared with it both have the column.
        """
        scope: Scope | None = self
        is_certain = True
        while scope is not None and not scope.compares:
            sources = [source for source in scope.sources if source.may_have(name)]
            if any(source.relation.columns is not None for source in sources):
                return None
            if fold(name) in scope.titles:
                return None
            is_certain = is_certain and not sources
            scope = scope.parent
        return None if scope is None else _find_compared_source(scope, name, is_certain=is_certain)

    def name_at(self, position: int | None, qualifier: tuple[str, ...]) -> str | None:
        """Return the name of the column `$1` of an entry of FROM, or None where it is not known.

        Raises:
            QueryError: several entries may have the column, files of a stage among them.
            ColumnNotFound: the entry has fewer columns.
        """
        if position is None:
            return None
        sources = self.sources
        if qualifier:
            named = self.owner(qualifier) or self.find(qualifier[-1])
            if named is None:
                raise ColumnNotFound(
                    f"Column {'.'.join(qualifier)}.${position} does not exist: FROM has no "
                    f"{qualifier[-1]!r}.",
                    hint=f"Give the entry a name: FROM @stage AS {qualifier[-1]}.",
                )
            sources = [named]
        files = [source for source in sources if source.is_files]
        if len(files) > 1:
            raise QueryError(
                f"Column ${position} may be of {len(files)} entries of FROM.",
                hint=f"Give the entry a name: FROM @stage AS s, and write s.${position}.",
            )
        if files:
            return files[0].name_file_column(position)
        if len(sources) != 1 or sources[0].relation.columns is None:
            return None
        names = list(sources[0].relation.columns)
        if not 1 <= position <= len(names):
            raise ColumnNotFound(
                f"Column ${position} does not exist: there are {len(names)} columns.",
                hint=f"Write $1 to ${len(names)}, or a column's name.",
            )
        return names[position - 1]

    def type_of(self, name: str) -> DataType | None:
        """Return the type of an unqualified column, or None for an unknown type."""
        scope: Scope | None = self
        while scope is not None:
            types = []
            for source in scope.sources:
                columns = source.relation.named
                if columns is None:
                    return None
                types += [kind for column, kind in columns.items() if fold(column) == fold(name)]
            if types:
                return types[0]
            scope = scope.parent
        return None

    def type_of_alias(self, name: str) -> DataType | None:
        """Return the type of an alias of the SELECT list that no table has as a column."""
        meant = self.aliases.expressions.get(fold(name))
        return None if meant is None or not self.lacks(name) else kind_of(meant)


def object_name(table: exp.Expr) -> ObjectName:
    """Return the name in a table node; `a..b` is in the schema public of a.

    >>> object_name(exp.to_table("A.B.c"))
    ObjectName(parts=('a', 'b', 'c'))
    """
    catalog, schema = table.args.get("catalog"), table.args.get("db")
    parts = [fold_identifier(catalog)] if catalog else []
    if schema or catalog:
        parts.append(fold_identifier(schema) or "public")
    last = table.this
    names = list(last.flatten()) if isinstance(last, exp.Dot) else [last]
    return ObjectName((*parts, *(fold_identifier(name) for name in names)))


def _find_compared_source(scope: Scope, name: str, *, is_certain: bool) -> FromSource | None:
    """Return the source to write before a column, where sources are compared with a target."""
    target, *others = scope.sources
    owners = [source for source in others if source.may_have(name)]
    known_owners = [source for source in owners if source.relation.columns is not None]
    if not target.may_have(name):
        is_one = len(owners) == 1 and owners == known_owners and is_certain and owners[0].alias
        return owners[0] if is_one else None
    if owners != known_owners or target.relation.columns is None or not is_certain:
        scope.unsettled.append(name)
        return None
    if not owners:
        return target
    tables = [source.alias for source in (target, *owners) if source.alias]
    raise QueryError(
        f"Column {name!r} is ambiguous: it is in {_list_tables(tables)}.",
        hint=f"Write the table before it, as in {target.alias}.{name}.",
    )


def _list_tables(names: list[str]) -> str:
    return (
        " and in ".join(map(repr, names)) if len(names) > 1 else f"{names[0]!r} and in its source"
    )


def _ends_alike(path: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return len(wanted) <= len(path) and path[-len(wanted) :] == wanted
