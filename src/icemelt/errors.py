"""Every error a user of icemelt can meet.

The tree (each leaf has a stable `code`)::

    IcemeltError
    ├── SetupError          Java, jars, Spark, files of the machine
    │   ├── JavaNotFound · JarsUnavailable · SparkNotStarted · SparkIncompatible · SparkDied
    ├── CatalogError        the catalog's database
    │   ├── CatalogUnavailable · CatalogReadOnly · LakeTooNew · LakeMoved · LakeDamaged
    ├── SqlError            the text of a statement
    │   ├── SqlSyntaxError · FunctionNotFound · ParameterError · QueryError
    │   └── UnsupportedError: NotYet (planned), Never (will not be)
    ├── ObjectError         a named object
    │   ├── ObjectNotFound · ObjectExists · NameClash · NameRefused · WrongObjectKind
    │   └── ColumnNotFound · DefinitionRefused
    ├── PointError          a point in time or an interval
    │   ├── PointNotConstant · BeforeTableExisted · BeforeChangeTracking · ChangeTrackingGap
    │   └── VersionExpired · PointInFuture · StartAfterEnd · StatementUnresolved · ColumnRetyped
    ├── DataError           rows and files
    │   └── ValueRefused · DuplicateKey · DuplicateMatch · FileDamaged · FileRefused · LoadFailed
    ├── TransactionError    publication
    │   ├── Conflict · LockTimeout · Deadlock       safe to retry
    │   └── TransactionEnded · StatementCancelled
    ├── StreamError: StreamStale · StreamBroken; IngestError: rows of channels, in ingest/errors.py
    └── InternalError       a bug in icemelt
"""

from __future__ import annotations

from typing import ClassVar

from icemelt.spans import underline


class IcemeltError(Exception):
    """The root: what is wrong in one sentence, and the next thing to type.

    >>> error = ObjectNotFound("Table 'ordres' does not exist.", hint="Did you mean 'orders'?")
    >>> print(error)
    Table 'ordres' does not exist.
    Hint: Did you mean 'orders'?
    >>> error.code
    'object-not-found'
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str) -> None:
        """Keep the message and the hint apart, so that a program can show either."""
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message


class SetupError(IcemeltError):
    """Java, the jars, Spark or the machine's files are not as icemelt needs them."""

    code = "setup"


class JavaNotFound(SetupError):
    """No Java of at least version 17 was found."""

    code = "java-not-found"


class JarsUnavailable(SetupError):
    """The Spark jars could be neither found in the cache nor resolved."""

    code = "jars-unavailable"


class SparkNotStarted(SetupError):
    """Spark did not start."""

    code = "spark-not-started"


class SparkIncompatible(SetupError):
    """The SparkSession handed in lacks what icemelt needs."""

    code = "spark-incompatible"


class SparkDied(SetupError):
    """The Java process of Spark is gone."""

    code = "spark-died"


class CatalogError(IcemeltError):
    """The catalog's database refused or failed."""

    code = "catalog"


class CatalogUnavailable(CatalogError):
    """The catalog's database cannot be reached or stayed locked."""

    code = "catalog-unavailable"


class CatalogReadOnly(CatalogError):
    """The catalog's database cannot be written."""

    code = "catalog-read-only"


class LakeTooNew(CatalogError):
    """A newer icemelt has written this lake."""

    code = "lake-too-new"


class LakeMoved(CatalogError):
    """The lake's folder is not where its tables say it is."""

    code = "lake-moved"


class LakeDamaged(CatalogError):
    """The registry and the catalog disagree in a way that cannot be mended by itself."""

    code = "lake-damaged"


class SqlError(IcemeltError):
    """The text of a statement is wrong."""

    code = "sql"


class SqlSyntaxError(SqlError):
    """The statement does not parse; `span` is (start, end) in the text, or None."""

    code = "sql-syntax"

    def __init__(
        self, message: str, *, hint: str, text: str = "", span: tuple[int, int] | None = None
    ) -> None:
        """Keep the place, and underline it in the message where it is known."""
        self.text = text
        self.span = span
        shown = f"{message}\n{underline(text, span)}" if span is not None else message
        super().__init__(shown, hint=hint)


class FunctionNotFound(SqlError):
    """A function that neither icemelt nor Spark has."""

    code = "function-not-found"


class ParameterError(SqlError):
    """Parameters and placeholders do not fit together."""

    code = "parameter"


class QueryError(SqlError):
    """The statement parses and is refused by its meaning: a type, a grouping, a column."""

    code = "query"


class UnsupportedError(SqlError):
    """The statement is understood and not carried out; `reason` is the code of a query's part."""

    code = "unsupported"
    reason: str = ""


class NotYet(UnsupportedError):
    """Planned, and not built yet."""

    code = "not-yet"


class Never(UnsupportedError):
    """Will not be built; the hint names the way round."""

    code = "never"


class ObjectError(IcemeltError):
    """A named object is missing, in the way, or of the wrong kind."""

    code = "object"


class ObjectNotFound(ObjectError):
    """No object of that kind has that name."""

    code = "object-not-found"


class ObjectExists(ObjectError):
    """The name is taken."""

    code = "object-exists"


class NameClash(ObjectError):
    """The name differs from an existing one by case only."""

    code = "name-clash"


class NameRefused(ObjectError):
    """The name is empty, too long, or holds a character that names may not have."""

    code = "name-refused"


class WrongObjectKind(ObjectError):
    """The object is of another kind than the statement needs."""

    code = "wrong-object-kind"


class ColumnNotFound(ObjectError):
    """No column has that name."""

    code = "column-not-found"


class DefinitionRefused(ObjectError):
    """A definition contradicts itself or what is there: a key, a default, a type change."""

    code = "definition-refused"


class PointError(IcemeltError):
    """A point in time or an interval cannot be served."""

    code = "point"


class PointNotConstant(PointError):
    """The expression of a point names a column, a query or a volatile function."""

    code = "point-not-constant"


class BeforeTableExisted(PointError):
    """The point is before the table was created."""

    code = "before-table-existed"


class BeforeChangeTracking(PointError):
    """The interval starts before change tracking was on."""

    code = "before-change-tracking"


class ChangeTrackingGap(PointError):
    """Change tracking was off for a part of the interval."""

    code = "change-tracking-gap"


class VersionExpired(PointError):
    """The version is past retention and its files are gone."""

    code = "version-expired"


class PointInFuture(PointError):
    """The point is later than now."""

    code = "point-in-future"


class StartAfterEnd(PointError):
    """The interval's start is after its end."""

    code = "start-after-end"


class StatementUnresolved(PointError):
    """The statement id is not known, or its transaction did not commit."""

    code = "statement-unresolved"


class ColumnRetyped(PointError):
    """A column had a type at the point that its type of today cannot hold."""

    code = "column-retyped"


class DataError(IcemeltError):
    """Rows or files are not as declared."""

    code = "data"


class ValueRefused(DataError):
    """A value does not fit its column: NULL, length, precision, type."""

    code = "value-refused"


class DuplicateKey(DataError):
    """A declared RELY key was met twice in one image."""

    code = "duplicate-key"


class DuplicateMatch(DataError):
    """Two source rows of a MERGE match one target row."""

    code = "duplicate-match"


class FileDamaged(DataError):
    """A data file or manifest is missing or cannot be read."""

    code = "file-damaged"


class FileRefused(DataError):
    """A file cannot be written, or not be opened, for want of rights or of space."""

    code = "file-refused"


class LoadFailed(DataError):
    """COPY INTO met rows or files it may not skip."""

    code = "load-failed"


class TransactionError(IcemeltError):
    """A transaction could not be published."""

    code = "transaction"


class Conflict(TransactionError):
    """Another transaction was first; running this one again is safe."""

    code = "conflict"
    retryable = True


class LockTimeout(TransactionError):
    """Another transaction holds what this one needs, for longer than LOCK_TIMEOUT."""

    code = "lock-timeout"
    retryable = True


class Deadlock(TransactionError):
    """Two transactions wait for each other; this one was ended."""

    code = "deadlock"
    retryable = True


class TransactionEnded(TransactionError):
    """The open transaction was aborted, or lapsed; nothing of it was kept."""

    code = "transaction-ended"
    retryable = True


class StatementCancelled(TransactionError):
    """The statement was cancelled; nothing of it was kept."""

    code = "statement-cancelled"


class StreamError(IcemeltError):
    """A stream cannot be read."""

    code = "stream"


class StreamStale(StreamError):
    """The changes after the stream's frontier are past retention and gone."""

    code = "stream-stale"


class StreamBroken(StreamError):
    """The stream's source was dropped or replaced."""

    code = "stream-broken"


class InternalError(IcemeltError):
    """A bug in icemelt."""

    code = "internal"
