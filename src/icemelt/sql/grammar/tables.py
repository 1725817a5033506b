"""CREATE of any kind of object. Tables are read here, other kinds by the module of the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from icemelt.errors import Never, NotYet
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.sql.grammar.clones import read_clone
from icemelt.sql.grammar.columns import (
    read_column,
    read_partitions,
    with_key_not_null,
)
from icemelt.sql.grammar.constraints import at_constraint, read_constraint
from icemelt.sql.grammar.containers import read_create_container, read_kind
from icemelt.sql.grammar.external_tables import read_create_external_table
from icemelt.sql.grammar.file_formats import read_create_file_format
from icemelt.sql.grammar.functions import read_create_function
from icemelt.sql.grammar.options import read_options
from icemelt.sql.grammar.pipes import read_create_pipe
from icemelt.sql.grammar.queries import read_query
from icemelt.sql.grammar.refusals import require_known_kind
from icemelt.sql.grammar.sequences import read_create_sequence
from icemelt.sql.grammar.stages import read_create_stage
from icemelt.sql.grammar.streams import read_create_stream
from icemelt.sql.grammar.table_streams import read_create_table_stream, take_table_stream
from icemelt.sql.grammar.tasks import read_create_task
from icemelt.sql.grammar.views import read_create_view
from icemelt.sql.reader import StatementReader
from icemelt.sql.statements import (
    CreateClone,
    CreateContainer,
    CreateExternalTable,
    CreateFileFormat,
    CreateFunction,
    CreatePipe,
    CreateSequence,
    CreateStage,
    CreateStream,
    CreateTable,
    CreateTask,
    CreateView,
    Existing,
    ForeignKey,
    ObjectKind,
    PrimaryKey,
    Query,
    TableKey,
    UniqueKey,
)

__all__ = ["read_create"]

_TEMPORARY_KINDS = {ObjectKind.TABLE, ObjectKind.STAGE}
_TRANSIENT_KINDS = {ObjectKind.TABLE, ObjectKind.SCHEMA, ObjectKind.DATABASE}


@dataclass(slots=True)
class _Elements:
    """The elements in the parentheses of CREATE TABLE; `names` are columns without a type."""

    columns: list[Column] = field(default_factory=list)
    keys: list[TableKey] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def primary_keys(self) -> list[PrimaryKey]:
        """The declared primary keys, of which a table has one at most."""
        return [key for key in self.keys if isinstance(key, PrimaryKey)]

    @property
    def constraints(self) -> tuple[UniqueKey | ForeignKey, ...]:
        """The other keys: the unique ones first, which foreign keys may reference."""
        others = [key for key in self.keys if not isinstance(key, PrimaryKey)]
        return tuple(sorted(others, key=lambda key: isinstance(key, ForeignKey)))


def read_create(
    reader: StatementReader,
) -> (
    CreateTable
    | CreateClone
    | CreateContainer
    | CreateStream
    | CreateView
    | CreateFileFormat
    | CreateStage
    | CreateExternalTable
    | CreatePipe
    | CreateSequence
    | CreateFunction
    | CreateTask
):
    """Read `CREATE [OR REPLACE | OR ALTER] kind …`, of each `ObjectKind`."""
    reader.need("CREATE")
    existing = Existing.REFUSED
    if reader.take("OR", "REPLACE"):
        existing = Existing.REPLACED
    elif reader.take("OR", "ALTER"):
        existing = Existing.ALTERED
    reader.take_one("LOCAL", "GLOBAL")
    word = reader.take_one("TEMPORARY", "TEMP", "VOLATILE", "TRANSIENT", "ICEBERG")
    require_known_kind(reader, "CREATE")
    is_table_stream = take_table_stream(reader)
    kind = ObjectKind.STREAM if is_table_stream else read_kind(reader)
    temporary = word in {"TEMPORARY", "TEMP", "VOLATILE"}
    _require_manner(reader, kind, word, temporary=temporary)
    existing = _read_existing(reader, kind, existing)
    match kind:
        case ObjectKind.SCHEMA | ObjectKind.DATABASE:
            return read_create_container(reader, kind, existing)
        case ObjectKind.STREAM if is_table_stream:
            return read_create_table_stream(reader, existing)
        case ObjectKind.STAGE:
            return read_create_stage(reader, existing, temporary=temporary)
        case ObjectKind.TABLE:
            return _read_table(reader, existing, temporary=temporary)
        case _:
            return _READERS[kind](reader, existing)


def _require_manner(
    reader: StatementReader, kind: ObjectKind, word: str | None, *, temporary: bool
) -> None:
    """Refuse a word as TEMPORARY or TRANSIENT before a kind that is never so."""
    kinds = _TEMPORARY_KINDS if temporary else _TRANSIENT_KINDS
    if word is not None and kind not in kinds:
        manner = "temporary" if temporary else word.lower()
        reader.fail(f"{kind.value.capitalize()}s are not {manner}.", hint=f"Leave {word} out.")


def _read_existing(reader: StatementReader, kind: ObjectKind, existing: Existing) -> Existing:
    """Read `[IF NOT EXISTS]`; return how CREATE treats an object of the same name.

    `existing` is the answer of the words before the kind, as OR REPLACE.
    """
    if not reader.is_at("IF"):
        return existing
    reader.need("IF", "NOT", "EXISTS")
    if existing is not Existing.REFUSED:
        words, what = existing.value, kind.value.upper()
        hint = f"Write CREATE {words} {what}, or CREATE {what} IF NOT EXISTS."
        reader.fail(f"{words} and IF NOT EXISTS exclude each other.", hint=hint)
    return Existing.KEPT


def _read_table(
    reader: StatementReader, existing: Existing, *, temporary: bool
) -> CreateTable | CreateClone:
    name = reader.read_object_name()
    if reader.is_at("CLONE"):
        return read_clone(reader, ObjectKind.TABLE, name, existing, temporary=temporary)
    like = reader.read_object_name() if reader.take("LIKE") else None
    elements = _read_elements(reader) if reader.is_at("(") else _Elements()
    partitions, options = _read_tail(reader)
    query = _read_as(reader, elements) if reader.take("AS") else None
    template = _read_template(reader, elements)
    if template is not None:
        more = _read_tail(reader)
        partitions, options = partitions + more[0], {**options, **more[1]}
    if existing is Existing.ALTERED and not (query is None and like is None and template is None):
        raise Never(
            "CREATE OR ALTER TABLE says what columns a table has; it takes no query and no LIKE.",
            hint=f"CREATE OR ALTER TABLE {name} (id INT), then INSERT INTO {name} SELECT ….",
        )
    if query is None and like is None and template is None and not elements.columns:
        hint = f"CREATE TABLE {name} (id INT), or CREATE TABLE {name} AS SELECT …"
        reader.fail("The table has no columns.", hint=hint)
    return CreateTable(
        name,
        with_key_not_null(elements.columns, elements.primary_keys),
        elements.primary_keys[0] if elements.primary_keys else None,
        query,
        like,
        existing,
        temporary,
        options,
        partitions,
        template,
        elements.constraints,
    )


def _read_template(reader: StatementReader, elements: _Elements) -> Query | None:
    """Read `USING TEMPLATE (query)`, which gives the columns of a table."""
    if not reader.take("USING", "TEMPLATE"):
        return None
    if elements.columns or elements.names:
        reader.fail(
            "The template gives the table's columns.", hint="CREATE TABLE t USING TEMPLATE (…)"
        )
    reader.need("(")
    query = read_query(reader)
    reader.need(")")
    return query


def _read_elements(reader: StatementReader) -> _Elements:
    elements = _Elements()
    reader.need("(")
    reader.read_list(lambda: _read_element(reader, elements))
    if not reader.take(")"):
        reader.fail(f"Expected , or ), found {reader.next_text}.", hint="Close the columns with ).")
    return elements


def _read_element(reader: StatementReader, elements: _Elements) -> None:
    if at_constraint(reader):
        elements.keys.append(read_constraint(reader))
        return
    start = reader.mark()
    name = reader.read_name("column name")
    if reader.is_at(",") or reader.is_at(")"):
        elements.names.append(name)
        return
    reader.back(start)
    read = read_column(reader)
    elements.columns.append(read.column)
    elements.keys += read.keys


def _read_tail(reader: StatementReader) -> tuple[tuple[str, ...], dict[str, str]]:
    partitions: tuple[str, ...] = ()
    options: dict[str, str] = {}
    while not (reader.is_at_end or reader.is_at("AS") or reader.is_at("USING", "TEMPLATE")):
        if (
            reader.take("CLUSTER", "BY")
            or reader.take("PARTITION", "BY")
            or reader.take("PARTITIONED", "BY")
        ):
            partitions = read_partitions(reader)
        elif reader.is_at("COPY", "GRANTS"):
            raise NotYet("There are no grants to copy.", hint="Leave COPY GRANTS out.")
        else:
            stops = ("AS", "CLUSTER", "PARTITION", "PARTITIONED", "COPY", "USING")
            more_options = read_options(reader, stops)
            if not more_options:
                reader.finish()
            options |= more_options
    return partitions, options


def _read_as(reader: StatementReader, elements: _Elements) -> Query:
    query = read_query(reader)
    if not elements.names:
        return query
    if elements.columns:
        reader.fail(
            "Some columns have a type and some have none.", hint="Give all a type, or none."
        )
    alias = quote(reader.composer.slots.hidden_name("r"))
    names = ", ".join(quote(name) for name in elements.names)
    return query.enclose("SELECT * FROM (", f") AS {alias}({names})")


_Created = (
    CreateStream
    | CreateView
    | CreateFileFormat
    | CreateExternalTable
    | CreatePipe
    | CreateSequence
    | CreateFunction
    | CreateTask
    | CreateClone
)
# the kinds whose CREATE has nothing before the name but OR REPLACE
_READERS: Mapping[ObjectKind, Callable[[StatementReader, Existing], _Created]] = {
    ObjectKind.STREAM: read_create_stream,
    ObjectKind.VIEW: read_create_view,
    ObjectKind.FILE_FORMAT: read_create_file_format,
    ObjectKind.EXTERNAL_TABLE: read_create_external_table,
    ObjectKind.PIPE: read_create_pipe,
    ObjectKind.SEQUENCE: read_create_sequence,
    ObjectKind.FUNCTION: read_create_function,
    ObjectKind.TASK: read_create_task,
}
