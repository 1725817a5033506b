"""Resolution: find the table, subquery or CTE that each name of a query means.

The walk over the tree gives tables slots and aliases, except where the name is a CTE in scope. A
column behind a schema or database gets the alias of its table instead. Where the tables' columns
are known, the walk notes the type of each column on its node.

    SELECT sales.orders.id FROM sales.orders
    SELECT `orders`.`id` FROM __icemelt_0__ AS `orders`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from icemelt.errors import (
    Never,
    NotYet,
    SqlSyntaxError,
)
from icemelt.names import ObjectName, fold
from icemelt.schema import DataType, Primitive
from icemelt.spark_sql.own_columns import (
    CHANGE_COLUMNS,
    COMMIT_COLUMNS,
    DIRECTORY_COLUMNS,
    RANGE_COLUMNS,
)
from icemelt.sql.analysis.aliases import Aliases
from icemelt.sql.analysis.carried_columns import add_carriers, carry_column
from icemelt.sql.analysis.coercion import coerce, coerce_branches, coerce_rows
from icemelt.sql.analysis.column_uses import note_column, note_join, note_star
from icemelt.sql.analysis.function_calls import FunctionCalls
from icemelt.sql.analysis.function_rows import FunctionRows, add_function
from icemelt.sql.analysis.inlining import Inlining, unite_inlined_sizes
from icemelt.sql.analysis.joins import (
    quote_aliases,
    refuse_variants,
    settle_lateral,
    validate_join,
)
from icemelt.sql.analysis.kinds import kind_of, set_kind, united_kind
from icemelt.sql.analysis.lambdas import note_parameters
from icemelt.sql.analysis.memberships import find_membership
from icemelt.sql.analysis.named_unions import match_by_name, unite_columns
from icemelt.sql.analysis.next_values import find_sequence, is_computed_once
from icemelt.sql.analysis.partition_conditions import note_partition_conditions
from icemelt.sql.analysis.points import Points
from icemelt.sql.analysis.query_parts import mark_part
from icemelt.sql.analysis.refused_parts import (
    require_parentheses,
    validate_expression,
    validate_parts,
)
from icemelt.sql.analysis.scopes import (
    ColumnsOf,
    FileColumns,
    FromSource,
    RelationColumns,
    Scope,
    common_columns,
    object_name,
)
from icemelt.sql.analysis.slots import StatementSlots
from icemelt.sql.analysis.sparks_values import may_be_a_value, stands_for_an_alias
from icemelt.sql.analysis.stage_places import find_directory, find_files, make_file_columns
from icemelt.sql.analysis.stars import (
    leave_out_pseudo_columns,
    list_outputs,
    write_out_counted_star,
    write_out_stars,
)
from icemelt.sql.analysis.table_functions import (
    Flatten,
    GenerateRows,
    SplitRows,
    find_error_table,
    make_table_function,
    require_flattenable,
)
from icemelt.sql.analysis.trees import (
    drop_open_limits,
    holds_tables,
    parenthesize_predicates,
    replace_node,
    rows_of,
)
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.analysis.user_functions import find_qualified_call
from icemelt.sql.analysis.variant_keys import compare_by_keys, unite_by_keys
from icemelt.sql.analysis.volatile import NextValueSlot
from icemelt.sql.analysis.with_queries import is_recursive, mention_query, numbers_inputs
from icemelt.sql.analysis.written_windows import write_window
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.statements import ChangeFormat, Changes, StageDirectory, StageFiles

__all__ = ["Resolution"]

# limits: a column is looked up in all sources, and Spark plans a join of 100 tables for minutes
_MAX_SOURCES = 1_000
_MAX_READS = 2_000


class Resolution:
    """The walk over the queries of one statement."""

    def __init__(
        self,
        slots: StatementSlots,
        points: Points,
        columns_of: ColumnsOf | None,
        shape: Callable[[exp.Select, Scope], None],
        inlining: Inlining,
    ) -> None:
        """Keep the parts of the statement.

        Args:
            slots: the slots of the statement.
            points: the reader of AT, BEFORE and CHANGES.
            columns_of: a function that returns the columns of a table; None where the caller knows
                none.
            shape: a function that changes a SELECT for Spark, after the SELECT's names are
                resolved.
            inlining: the measure of the columns, which sees a SELECT before `shape` changes the
                SELECT.
        """
        self._slots = slots
        self._points = points
        self._columns_of = columns_of
        self._shape = shape
        self._inlining = inlining
        self._reads = 0
        # whether readings of queries of WITH are counted, and the count is compared later
        self.compares_reads_later = False
        self._calls = FunctionCalls(slots, columns_of, self.resolve_expression)
        # whether an expression is a value that a MERGE or UPDATE writes into rows
        self.writes_values = False

    def resolve_query(self, node: exp.Expr, outer: Scope) -> RelationColumns:
        """Resolve a query inside a scope, and return the query's columns."""
        scope = Scope(outer, ctes=outer.ctes)
        drop_open_limits(node)
        self._resolve_ctes(node, scope)
        match node:
            case exp.Select():
                return self._resolve_select(node, scope)
            case exp.SetOperation():
                return self._resolve_set_operation(node, scope)
            case exp.Subquery():
                relation = self.resolve_query(node.this, scope)
                self._resolve_parts(node, scope, skip=("this", "with_", "alias"))
                return relation
            case exp.Values():
                return self._resolve_values(node, scope)
            case _:
                raise NotYet(
                    f"A query cannot be made of {node.key.upper()}.", hint="Write SELECT … FROM …."
                )

    def resolve_expression(self, node: exp.Expr, scope: Scope) -> None:
        """Resolve the columns and subqueries of an expression, innermost first.

        The function does not recurse into operators: chains of OR may be thousands long.
        """
        pending = [(node, False)]
        while pending:
            node, is_done = pending.pop()
            if is_done:
                if isinstance(node, exp.Anonymous) and self._calls.inline(node):
                    continue
                coerce(node)
                compare_by_keys(node)
                parenthesize_predicates(node)
                if isinstance(node, exp.Binary):
                    set_kind(node, kind_of(node))
            elif isinstance(node, (exp.Query, exp.Values)):
                require_parentheses(node)
                relation = self.resolve_query(node, scope.inner())
                types = list((relation.columns or {}).values())
                set_kind(node, types[0] if len(types) == 1 else None)
            elif (meant := _find_meaning(node)) is not None:
                replace_node(meant, node)
                pending.append((meant, False))
            elif isinstance(node, exp.Column):
                if not self._number_rows(node, scope):
                    self._resolve_column(node, scope)
                    carry_column(self._slots, node, scope)
            else:
                validate_expression(node)
                write_out_counted_star(node, scope)
                note_star(self._slots, node, scope)
                note_parameters(node)
                pending.append((node, True))
                children = list(node.iter_expressions())
                pending.extend((child, False) for child in reversed(children))

    def resolve_source(self, node: exp.Expr, scope: Scope) -> None:
        """Resolve an entry of FROM, and add the entry to the scope."""
        match node:
            case exp.Table() if isinstance(node.this, (exp.Identifier, exp.Dot)):
                self._resolve_table(node, scope)
            case exp.Table() | exp.Lateral() if isinstance(node.this, exp.Func):
                self._resolve_function(node, scope)
            case exp.Table() if (files := find_directory(node) or find_files(node)) is not None:
                self._resolve_files(node, files, scope)
            case exp.Subquery() if holds_tables(node):
                self._resolve_parenthesized(node, scope)
            case exp.Subquery():
                around = Scope(scope.parent, ctes=scope.ctes)
                relation = self.resolve_query(node.this, around)
                self._resolve_pivots(node, scope)
                self._add_source(node, relation, scope)
            case exp.Lateral() if isinstance(node.this, exp.Query) and not holds_tables(node.this):
                with self._inlining.without_barriers():
                    self._add_source(node, self.resolve_query(node.this, scope), scope)
            case exp.Values():
                self._add_source(node, self._resolve_values(node, scope), scope)
            case _:
                found = node.name or node.key.upper()
                hint = "Read a table, or load files with COPY INTO."
                if isinstance(node, exp.Lateral):
                    hint = "Write LATERAL (SELECT … FROM …)."
                raise NotYet(f"FROM {found} is not supported.", hint=hint)
        for join in node.args.get("joins") or ():
            self._resolve_join(join, scope)

    def _resolve_ctes(self, node: exp.Expr, scope: Scope) -> None:
        """Resolve the queries of WITH, and add their columns to the scope."""
        clause = node.args.get("with_")
        if clause is None:
            return
        ctes = dict(scope.ctes)
        for cte in clause.expressions:
            name = fold(fold_identifier(cte.args["alias"].this))
            columns = cte.args["alias"].columns
            around = Scope(scope.parent, ctes=dict(ctes))
            if is_recursive(cte, name):
                clause.args["recursive"] = True
                around.ctes = {**ctes, name: RelationColumns().rename_columns(columns)}
            before = self._reads
            ctes[name] = self.resolve_query(cte.this, around).rename_columns(columns)
            ctes[name].part = self._slots.add_part()
            mark_part(cte, ctes[name].part)
            # Spark repeats the query's text at each mention of the CTE, so the mention counts
            ctes[name].reads, self._reads = max(self._reads - before, 1), before
            functions = cte.this.find_all(Flatten, SplitRows)
            ctes[name].has_numbers = any(map(numbers_inputs, functions))
        scope.ctes = ctes

    def _resolve_select(self, node: exp.Select, scope: Scope) -> RelationColumns:
        """Resolve a SELECT: FROM first, then the other clauses; return the SELECT's columns."""
        validate_parts(node)
        scope.aliases, scope.select = Aliases.of(node), node
        start = node.args.get("from_")
        if start is not None:
            self.resolve_source(start.this, scope)
        for join in node.args.get("joins") or ():
            self._resolve_join(join, scope)
        scope.aliases = replace(scope.aliases, numbers_rows=scope.generator)
        if node.args.get("where") is not None:
            scope.aliases.substitute_into(node.args["where"], scope.lacks)
        scope.titles = frozenset(scope.aliases.expressions)
        self._resolve_parts(node, scope, skip=("from_", "joins", "with_"))
        write_out_stars(node, scope)
        leave_out_pseudo_columns(self._slots, node, scope)
        relation = RelationColumns(list_outputs(node, scope))
        note_partition_conditions(self._slots, node, scope)
        add_carriers(node, scope)
        projections = list(node.expressions)
        self._inlining.limit_conditions(node, scope)
        self._shape(node, scope)
        relation.inlined_sizes = self._inlining.measure_outputs(projections, scope)
        return relation

    def _resolve_set_operation(self, node: exp.SetOperation, scope: Scope) -> RelationColumns:
        operations = [node]
        while isinstance(operations[-1].this, exp.SetOperation):
            operations.append(operations[-1].this)
        relations = [self.resolve_query(operations[-1].this, scope)]
        for operation in reversed(operations):
            relations.append(self.resolve_query(operation.expression, scope))
            self._resolve_parts(operation, scope, skip=("this", "expression", "with_"))
        if any(operation.args.get("by_name") for operation in operations):
            relations = match_by_name(operations, relations, self._slots.hidden_name("n"))
            relations[0] = unite_columns(relations)
        coerce_branches([operations[-1].this, *(each.expression for each in operations)])
        columns = common_columns(relations)
        unite_by_keys(node, columns, self._slots.hidden_name)
        return RelationColumns(columns, inlined_sizes=unite_inlined_sizes(relations))

    def _resolve_values(self, node: exp.Values, scope: Scope) -> RelationColumns:
        """Resolve VALUES; columns without names are named column1, column2 and so on."""
        self._resolve_parts(node, scope, skip=("alias",))
        rows = rows_of(node)
        first = rows[0] if rows else []
        if any(len(row) != len(first) for row in rows):
            raise SqlSyntaxError(
                "The rows of VALUES are not of one length.",
                hint="Give each row the same number of values.",
            )
        coerce_rows(rows)
        names = [f"column{position}" for position in range(1, len(first) + 1)]
        alias = node.args.get("alias")
        if alias is None:
            alias = exp.TableAlias(this=exp.to_identifier("values", quoted=True))
            node.set("alias", alias)
        if not alias.columns:
            alias.set("columns", [exp.to_identifier(name, quoted=True) for name in names])
        kinds = map(united_kind, zip(*rows_of(node), strict=True)) if rows else ()
        return RelationColumns(dict(zip(names, kinds, strict=True))).rename_columns(alias.columns)

    def _resolve_join(self, join: exp.Join, scope: Scope) -> None:
        validate_join(join)
        before = [source.relation for source in scope.sources]
        self.resolve_source(join.this, scope)
        refuse_variants(join, before, scope.sources[-1].relation)
        note_join(self._slots, join, scope)
        settle_lateral(join)
        condition = join.args.get("on")
        if condition is not None:
            scope.aliases.substitute_into(condition, scope.lacks)
            self.resolve_expression(join.args["on"], scope)
            coerce(join)

    def _resolve_parts(self, node: exp.Expr, scope: Scope, *, skip: tuple[str, ...]) -> None:
        for name, value in list(node.args.items()):
            if name in skip:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, exp.Expr):
                    self.resolve_expression(child, scope)

    def _resolve_table(self, node: exp.Table, scope: Scope) -> None:
        """Replace a table by a slot, except for a CTE, and add the table to the scope."""
        validate_parts(node)
        name = object_name(node)
        point, changes = self._points.read_at_table(node)
        is_cte = len(name.parts) == 1 and fold(name.last) in scope.ctes
        if is_cte and (point or changes):
            hint = "Write AT or CHANGES at the table inside the WITH."
            raise NotYet(f"'{name.last}' is a WITH query, which has no history.", hint=hint)
        if is_cte:
            relation = scope.ctes[fold(name.last)]
            mention_query(name.last, relation)
            mark_part(node, relation.part)
            self._inlining.require_no_barriers()
            self._count_reads(relation.reads)
        else:
            self._count_reads(1)
            relation = self._known_relation(name, changes)
            slot = self._slots.add_table(name, point, changes)
            node.set("this", exp.Var(this=slot))
            if node.args.get("pivots") or node.alias_column_names:
                self._slots.note_columns(slot, relation.columns or ())
        for part in ("db", "catalog", "when", "changes"):
            node.set(part, None)
        self._resolve_pivots(node, scope)
        self._add_source(node, relation, scope, name.parts)
        scope.sources[-1].slot = "" if is_cte else slot

    def _resolve_files(
        self, node: exp.Table, files: StageFiles | StageDirectory, scope: Scope
    ) -> None:
        """Replace files of a stage by a slot, and add the files to the scope."""
        validate_parts(node)
        if isinstance(files, StageDirectory):
            self._resolve_directory(node, files, scope)
            return
        if node.args.get("when") or node.args.get("changes"):
            raise Never("Files of a stage have no history.", hint="Leave AT and CHANGES out.")
        types = None if self._columns_of is None else self._columns_of(files)
        relation = RelationColumns(make_file_columns(node, types))
        self._count_reads(1)
        slot = self._slots.add_files(files)
        node.set("this", exp.Var(this=slot))
        node.set("format", None)
        node.set("pattern", None)
        if node.args.get("pivots") or node.alias_column_names:
            self._slots.note_columns(slot, relation.columns or ())
        self._resolve_pivots(node, scope)
        self._add_source(node, relation, scope)
        scope.sources[-1].slot, scope.sources[-1].is_files = slot, True

    def _resolve_directory(self, node: exp.Table, directory: StageDirectory, scope: Scope) -> None:
        """Replace the directory table of a stage by a slot, and add the table to the scope."""
        if self._columns_of is not None:
            self._columns_of(directory)
        point, changes = self._points.read_at_table(node)
        relation = _with_changes(DIRECTORY_COLUMNS, changes)
        self._count_reads(1)
        slot = self._slots.add_directory(directory, point, changes)
        node.set("this", exp.Var(this=slot))
        for part in ("when", "changes"):
            node.set(part, None)
        self._resolve_pivots(node, scope)
        self._add_source(node, relation, scope)
        scope.sources[-1].slot = slot

    def _count_reads(self, tables: int) -> None:
        self._reads += tables
        if not self.compares_reads_later:
            self.require_few_reads()

    def require_few_reads(self) -> None:
        """Require that the statement, each query of WITH in its places, reads few tables.

        Raises:
            NotYet: Spark would plan the statement for minutes.
        """
        if self._reads > _MAX_READS:
            hint = "Store the rows of one of its queries in a table."
            raise NotYet(
                f"A query reads {_MAX_READS:,} tables at most, each as often as WITH names it.",
                hint=hint,
            )

    def _known_relation(self, name: ObjectName, changes: Changes | None) -> RelationColumns:
        columns = self._columns_of(name) if self._columns_of is not None else None
        if columns is None:
            return RelationColumns()
        relation = _with_changes(columns, changes)
        if isinstance(columns, FileColumns):
            relation.partitions, relation.pseudo = columns.partitions, columns.pseudo
        return relation

    def _resolve_pivots(self, node: exp.Expr, scope: Scope) -> None:
        for pivot in node.args.get("pivots") or ():
            if pivot.args.get("fields") is None or len(pivot.args["fields"]) != 1:
                raise NotYet("PIVOT takes one FOR … IN.", hint="Write PIVOT (SUM(v) FOR k IN (…)).")
            default = pivot.args.get("default_on_null")
            is_given = isinstance(default, exp.Expr)
            if is_given and default.find(exp.Column, exp.Query) is not None:
                hint = "DEFAULT ON NULL (0)"
                raise NotYet("DEFAULT ON NULL takes a constant.", hint=hint)
            inner = scope.inner()
            inner.sources.append(FromSource("", RelationColumns()))
            self._resolve_parts(pivot, inner, skip=("alias", "columns"))

    def _resolve_function(self, node: exp.Expr, scope: Scope) -> None:
        """Replace a function call of FROM by a node of icemelt, and add it to the scope."""
        errors = find_error_table(node)
        if errors is not None:
            replace_node(errors, node)
            self._resolve_table(errors, scope)
            return
        rows = add_function(node, self._slots, self._points, self._columns_of)
        if rows is not None:
            self._replace_function(node, rows, scope)
            return
        replacement = make_table_function(node, self._slots.prefix)
        is_first = isinstance(node.parent, exp.From)
        replace_node(replacement, node)
        for argument in replacement.args["arguments"]:
            self.resolve_expression(argument, scope)
        require_flattenable(replacement)
        has_columns = any(argument.find(exp.Column) for argument in replacement.args["arguments"])
        replacement.set("single", is_first or not has_columns)
        scope.generator = scope.generator or isinstance(replacement, GenerateRows)
        self._add_source(replacement, RelationColumns(replacement.columns), scope)

    def _replace_function(self, node: exp.Expr, rows: FunctionRows, scope: Scope) -> None:
        """Replace a function call of FROM by a slot, and add the rows to the scope."""
        kept = {part: node.args.get(part) for part in ("alias", "joins", "pivots", "sample")}
        read = exp.Table(this=exp.Var(this=rows.slot), **kept)
        replace_node(read, node)
        self._add_source(
            read, RelationColumns(None if rows.columns is None else dict(rows.columns)), scope
        )

    def _resolve_parenthesized(self, node: exp.Subquery, scope: Scope) -> None:
        if node.args.get("alias"):
            raise NotYet("A join in parentheses takes no alias.", hint="Write (SELECT …) AS name.")
        self.resolve_source(node.this, scope)

    def _add_source(
        self, node: exp.Expr, relation: RelationColumns, scope: Scope, path: tuple[str, ...] = ()
    ) -> None:
        """Add an entry of FROM to the scope, and give an alias to an entry without one."""
        if len(scope.sources) >= _MAX_SOURCES:
            hint = "Join some of them in a subquery, or in WITH."
            raise NotYet(f"A FROM has {_MAX_SOURCES:,} tables at most.", hint=hint)
        alias = node.args.get("alias")
        key = self._slots.new_entry_key()
        function = node if isinstance(node, (Flatten, SplitRows)) else None
        pivots = node.args.get("pivots") or ()
        for pivot in pivots:
            quote_aliases(pivot)
            alias = pivot.args.get("alias") or alias
            relation = RelationColumns()
        if alias is not None and alias.this is not None:
            columns = relation.rename_columns(alias.columns)
            source = FromSource(fold_identifier(alias.this), columns, function=function, key=key)
            alias.set("this", source.identifier())
            scope.sources.append(source)
            return
        columns = alias.columns if alias is not None else []
        name = self._free_alias(path, scope) if path else ""
        source = FromSource(name, relation.rename_columns(columns), path, function, key)
        if path:
            node.set("alias", exp.TableAlias(this=source.identifier(), columns=columns))
        scope.sources.append(source)

    def _free_alias(self, path: tuple[str, ...], scope: Scope) -> str:
        """Return the table's own name, or more of its path where another entry has the name."""
        aliases = {fold(source.alias) for source in scope.sources}
        for length in range(1, len(path) + 1):
            name = ".".join(path[-length:])
            if fold(name) not in aliases:
                return name
        return path[-1]

    def _number_rows(self, node: exp.Column, scope: Scope) -> bool:
        """Replace `sequence.NEXTVAL` by the slot of its value; return False for a column."""
        sequence = find_sequence(node, scope)
        if sequence is None:
            return False
        is_single = is_computed_once(node, in_value=self.writes_values)
        slot = NextValueSlot(
            this=self._slots.next_value_slot(sequence, is_single), single=is_single
        )
        set_kind(slot, Primitive("long"))
        if isinstance(node.parent, exp.Select):
            slot.meta["written"] = "nextval"
        replace_node(slot, node)
        return True

    def _resolve_column(self, node: exp.Column, scope: Scope) -> None:
        """Write the alias of a column's table, and note the column's type."""
        if isinstance(node.this, exp.Star):
            for child in list(node.this.iter_expressions()):
                self.resolve_expression(child, scope)
        if node.args.get("join_mark"):
            raise NotYet("(+) is not supported.", hint="Write LEFT JOIN … ON ….")
        parts = [fold_identifier(part) for part in node.parts if isinstance(part, exp.Identifier)]
        scope.require_visible(*parts)
        name = scope.name_at(node.this.meta.get("position"), tuple(parts[:-1]))
        if name is not None:
            node.set("this", exp.to_identifier(name, quoted=True))
        qualifier = tuple(parts if isinstance(node.this, exp.Star) else parts[:-1])
        note_column(self._slots, node, qualifier, scope)
        if not qualifier:
            self._resolve_unqualified(node, scope)
            return
        source = scope.owner(qualifier) or (
            scope.find(qualifier[0]) if len(qualifier) == 1 else None
        )
        if source is None:
            return
        if scope.captures(source):
            self._slots.hide_entry(source.key)
        node.set("table", source.identifier())
        node.set("db", None)
        node.set("catalog", None)
        wanted = fold(fold_identifier(node.this))
        columns = source.relation.named or {}
        types = [kind for name, kind in columns.items() if fold(name) == wanted]
        set_kind(node, types[0] if types else None)

    def _resolve_unqualified(self, node: exp.Column, scope: Scope) -> None:
        """Write the table of a column without a table, where Spark would take another column."""
        name = fold_identifier(node.this)
        set_kind(node, scope.type_of(name) or scope.type_of_alias(name))
        source = None if is_unit(node) else scope.owner_to_write(name)
        if source is None and may_be_a_value(node, scope):
            if stands_for_an_alias(name, scope):
                part = scope.aliases.expression(name)
                replace_node(part, node)
                self.resolve_expression(part, scope)
                return
            source = scope.only_owner(name)
        elif source is None and not is_unit(node):
            scope.require_column_of_files(name)
        if source is not None:
            node.set("table", source.identifier())


def _find_meaning(node: exp.Expr) -> exp.Expr | None:
    """Return the other form in which an expression is resolved, None for most."""
    return find_qualified_call(node) or find_membership(node) or write_window(node)


def _with_changes(columns: Mapping[str, DataType], changes: Changes | None) -> RelationColumns:
    """Return the columns of a table, or of its changes."""
    if changes is None:
        return RelationColumns(dict(columns))
    if changes.range is not None:
        return RelationColumns({**columns, **RANGE_COLUMNS})
    is_redo = changes.format is ChangeFormat.REDO_LOG
    return RelationColumns({**columns, **CHANGE_COLUMNS, **(COMMIT_COLUMNS if is_redo else {})})
