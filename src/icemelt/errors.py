"""Every error a user of icemelt can meet.

The tree (each leaf has a stable `code` and `errno`)::

    IcemeltError
    ├── SetupError: JavaNotFound · JarsUnavailable · SparkNotStarted · SparkIncompatible · SparkDied
    │   └── PackageMissing · NoThreads (safe to retry)
    ├── CatalogError: CatalogUnavailable · CatalogReadOnly · LakeTooNew · LakeMoved · LakeDamaged
    ├── SqlError: SqlSyntaxError · FunctionNotFound · ParameterError · QueryError
    │   └── UnsupportedError: NotYet (planned) · Never (will not be)
    ├── ObjectError: ObjectNotFound · ObjectExists · NameClash · NameRefused · WrongObjectKind
    │   └── ColumnNotFound · DefinitionRefused · PipeBroken
    │       └── KeyRevoked · GraphUnreadable, in tasks/errors.py
    ├── PointError: PointNotConstant · BeforeTableExisted · BeforeChangeTracking · ChangeTrackingGap
    │   └── VersionExpired · PointInFuture · StartAfterEnd · StatementUnresolved · ColumnRetyped
    ├── DataError: ValueRefused · DuplicateKey · DuplicateMatch · FileDamaged · FileRefused
    │   └── LoadFailed · FileChanged · FileGone
    ├── TransactionError: Conflict · LockTimeout · Deadlock (all three safe to retry)
    │   └── TransactionEnded · StatementCancelled · RunLost, in tasks/errors.py
    ├── StreamError: StreamStale · StreamBroken · ConsumptionRefused, of the bodies of tasks
    ├── IngestError: rows of channels, in ingest/errors.py
    └── InternalError: a bug in icemelt
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from icemelt.spans import underline


class IcemeltError(Exception):
    """The root of all errors: a sentence on the problem, and the next thing to type.

    `code` is the name of the class for programs, `errno` is its number. No other class ever gets
    the same code or number. `sqlstate` is the SQL standard's class of the error, or the class of
    other databases where the standard has none. An error of a value has the SQLSTATE of the reason,
    such as 22012 for a division by zero.

    >>> error = ObjectNotFound("Table 'ordres' does not exist.", hint="Did you mean 'orders'?")
    >>> print(error)
    Table 'ordres' does not exist.
    Hint: Did you mean 'orders'?
    >>> error.code, error.errno, error.sqlstate
    ('object-not-found', 1301, '42S02')
    """

    code: ClassVar[str] = "error"
    errno: ClassVar[int] = 1
    sqlstate: str = "HY000"
    retryable: ClassVar[bool] = False
    # whether the texts may have been made by Java or the system, which name folders of the machine;
    # False where they are icemelt's, with the statement's own words and values
    names_places: bool = True

    def __init__(self, message: str, *, hint: str) -> None:
        """Store message and hint in two attributes: a program can show either."""
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message

    def with_sqlstate(self, sqlstate: str) -> Self:
        """Replace the SQLSTATE of the class by the SQLSTATE of the reason; return the error.

        >>> DataError("Division by zero.", hint="").with_sqlstate("22012").sqlstate
        '22012'
        """
        self.sqlstate = sqlstate
        return self

    def about_statement(self) -> Self:
        """Note that the texts name no place but those in the statement; return the error."""
        self.names_places = False
        return self

    def told(self) -> dict[str, Any]:
        """Return the error as a JSON object, for the answers of a server.

        >>> ObjectNotFound("Table 'a' does not exist.", hint="SHOW TABLES").told()["errno"]
        1301
        """
        return {
            "code": self.code,
            "errno": self.errno,
            "sqlstate": self.sqlstate,
            "message": self.message,
            "hint": self.hint,
        }


class SetupError(IcemeltError):
    """Java, the jars, Spark or the files of the machine do not fit icemelt's needs."""

    code = "setup"
    errno = 1000
    sqlstate = "58000"


class JavaNotFound(SetupError):
    """No Java of at least version 17 was found."""

    code = "java-not-found"
    errno = 1001
    sqlstate = "58000"


class JarsUnavailable(SetupError):
    """The Spark jars could be neither found in the cache nor resolved."""

    code = "jars-unavailable"
    errno = 1002
    sqlstate = "58000"


class SparkNotStarted(SetupError):
    """Spark did not start."""

    code = "spark-not-started"
    errno = 1003
    sqlstate = "57P03"


class SparkIncompatible(SetupError):
    """The SparkSession handed in does not fit icemelt's needs."""

    code = "spark-incompatible"
    errno = 1004
    sqlstate = "58000"


class SparkDied(SetupError):
    """The Java process of Spark is gone."""

    code = "spark-died"
    errno = 1005
    sqlstate = "08006"


class PackageMissing(SetupError):
    """A Python package for an optional feature of icemelt is not installed."""

    code = "package-missing"
    errno = 1007
    sqlstate = "58000"


class NoThreads(SetupError):
    """The machine gives the process no more threads; the same may work a little later."""

    code = "no-threads"
    errno = 1008
    sqlstate = "53000"
    retryable = True


class CatalogError(IcemeltError):
    """The catalog's database refused or failed."""

    code = "catalog"
    errno = 1100
    sqlstate = "08000"


class CatalogUnavailable(CatalogError):
    """The catalog's database cannot be reached or stayed locked."""

    code = "catalog-unavailable"
    errno = 1101
    sqlstate = "08006"


class CatalogReadOnly(CatalogError):
    """The catalog's database cannot be written."""

    code = "catalog-read-only"
    errno = 1102
    sqlstate = "25006"


class LakeTooNew(CatalogError):
    """A newer icemelt has written this lake."""

    code = "lake-too-new"
    errno = 1103
    sqlstate = "0A000"


class LakeMoved(CatalogError):
    """The lake's folder is not at the path in the registry."""

    code = "lake-moved"
    errno = 1104
    sqlstate = "58P01"


class LakeDamaged(CatalogError):
    """The registry and the catalog contradict each other, and icemelt has no repair."""

    code = "lake-damaged"
    errno = 1105
    sqlstate = "XX001"


class SqlError(IcemeltError):
    """The text of a statement is wrong."""

    code = "sql"
    errno = 1200
    sqlstate = "42000"


class SqlSyntaxError(SqlError):
    """The statement does not parse; `span` is (start, end) in the text, or None."""

    code = "sql-syntax"
    errno = 1201
    sqlstate = "42601"
    names_places = False

    def __init__(
        self, message: str, *, hint: str, text: str = "", span: tuple[int, int] | None = None
    ) -> None:
        """Store text and span; underline the span in the message.

        Args:
            message: what is wrong.
            hint: the next thing to type.
            text: the statement's text.
            span: the start and the end of the wrong part of the text, None where unknown.
        """
        self.text = text
        self.span = span
        underlined = f"{message}\n{underline(text, span)}" if span is not None else message
        super().__init__(underlined, hint=hint)


class FunctionNotFound(SqlError):
    """Neither icemelt nor Spark has a function of this name."""

    code = "function-not-found"
    errno = 1202
    sqlstate = "42883"
    names_places = False


class ParameterError(SqlError):
    """Parameters and placeholders do not fit together."""

    code = "parameter"
    errno = 1203
    sqlstate = "07001"
    names_places = False


class QueryError(SqlError):
    """The statement parses, but has no meaning: a wrong type, grouping or column."""

    code = "query"
    errno = 1204
    sqlstate = "42000"


class UnsupportedError(SqlError):
    """The statement is understood and refused; `reason` is the code of the unsupported part."""

    code = "unsupported"
    errno = 1205
    sqlstate = "0A000"
    reason: str = ""


class NotYet(UnsupportedError):
    """The feature is planned, and not built yet."""

    code = "not-yet"
    errno = 1206
    sqlstate = "0A000"


class Never(UnsupportedError):
    """The feature will not be built; the hint names another way."""

    code = "never"
    errno = 1207
    sqlstate = "0A000"


class ObjectError(IcemeltError):
    """A named object is missing, in the way, or of the wrong kind."""

    code = "object"
    errno = 1300
    sqlstate = "42000"


class ObjectNotFound(ObjectError):
    """No object of this kind has the name."""

    code = "object-not-found"
    errno = 1301
    sqlstate = "42S02"
    names_places = False


class ObjectExists(ObjectError):
    """Another object has the name."""

    code = "object-exists"
    errno = 1302
    sqlstate = "42710"


class NameClash(ObjectError):
    """The name differs from an existing name by case only."""

    code = "name-clash"
    errno = 1303
    sqlstate = "42710"


class NameRefused(ObjectError):
    """The name is empty, too long, or has a character not allowed in names."""

    code = "name-refused"
    errno = 1304
    sqlstate = "42602"


class WrongObjectKind(ObjectError):
    """The statement needs an object of another kind."""

    code = "wrong-object-kind"
    errno = 1305
    sqlstate = "42809"


class ColumnNotFound(ObjectError):
    """No column has the name."""

    code = "column-not-found"
    errno = 1306
    sqlstate = "42S22"
    names_places = False


class DefinitionRefused(ObjectError):
    """A definition contradicts itself or an existing object: a key, a default, a type change."""

    code = "definition-refused"
    errno = 1307
    sqlstate = "42P16"


class PipeBroken(ObjectError):
    """The table, the stage or the file format of the pipe was dropped, replaced or renamed."""

    code = "pipe-broken"
    errno = 1308
    sqlstate = "55000"


class PointError(IcemeltError):
    """A point in time or an interval cannot be served."""

    code = "point"
    errno = 1400
    sqlstate = "22023"


class PointNotConstant(PointError):
    """The expression of a point names a column, a query or a volatile function."""

    code = "point-not-constant"
    errno = 1401
    sqlstate = "42000"


class BeforeTableExisted(PointError):
    """The point is before the table was created."""

    code = "before-table-existed"
    errno = 1402
    sqlstate = "02000"


class BeforeChangeTracking(PointError):
    """The interval starts before change tracking was on."""

    code = "before-change-tracking"
    errno = 1403
    sqlstate = "02000"


class ChangeTrackingGap(PointError):
    """Change tracking was off for a part of the interval."""

    code = "change-tracking-gap"
    errno = 1404
    sqlstate = "02000"


class VersionExpired(PointError):
    """The version is past retention and its files are gone."""

    code = "version-expired"
    errno = 1405
    sqlstate = "02000"


class PointInFuture(PointError):
    """The point is later than now."""

    code = "point-in-future"
    errno = 1406
    sqlstate = "22023"


class StartAfterEnd(PointError):
    """The interval's start is after its end."""

    code = "start-after-end"
    errno = 1407
    sqlstate = "22023"


class StatementUnresolved(PointError):
    """The statement id is not known, or its transaction did not commit."""

    code = "statement-unresolved"
    errno = 1408
    sqlstate = "02000"


class ColumnRetyped(PointError):
    """A column's type of today cannot hold the values at the point, of another type."""

    code = "column-retyped"
    errno = 1409
    sqlstate = "55000"


class DataError(IcemeltError):
    """Rows or files are not as declared."""

    code = "data"
    errno = 1500
    sqlstate = "22000"


class ValueRefused(DataError):
    """A value does not fit its column: NULL, length, precision, type."""

    code = "value-refused"
    errno = 1501
    sqlstate = "22000"
    names_places = False


class DuplicateKey(DataError):
    """Two rows of one state have the same declared RELY key."""

    code = "duplicate-key"
    errno = 1502
    sqlstate = "23505"
    names_places = False


class DuplicateMatch(DataError):
    """Two source rows of a MERGE match one target row."""

    code = "duplicate-match"
    errno = 1503
    sqlstate = "21000"


class FileDamaged(DataError):
    """A data file or manifest is missing or cannot be read."""

    code = "file-damaged"
    errno = 1504
    sqlstate = "XX001"


class FileRefused(DataError):
    """A file cannot be written or opened, for lack of rights or space."""

    code = "file-refused"
    errno = 1505
    sqlstate = "58030"


class LoadFailed(DataError):
    """COPY INTO found bad rows or files, and the statement may not skip them."""

    code = "load-failed"
    errno = 1506
    sqlstate = "22000"


class FileChanged(DataError):
    """A registered file of an external table was written since it was listed."""

    code = "file-changed"
    errno = 1507
    sqlstate = "55000"


class FileGone(DataError):
    """A registered file of an external table is not there any more, or was never read."""

    code = "file-gone"
    errno = 1508
    sqlstate = "58P01"


class TransactionError(IcemeltError):
    """A transaction could not be published."""

    code = "transaction"
    errno = 1600
    sqlstate = "40000"


class Conflict(TransactionError):
    """Another transaction was first; running this transaction again is safe."""

    code = "conflict"
    errno = 1601
    sqlstate = "40001"
    retryable = True


class LockTimeout(TransactionError):
    """Another transaction held a needed lock for longer than LOCK_TIMEOUT."""

    code = "lock-timeout"
    errno = 1602
    sqlstate = "55P03"
    retryable = True


class Deadlock(TransactionError):
    """Two transactions waited for each other; this transaction was ended."""

    code = "deadlock"
    errno = 1603
    sqlstate = "40P01"
    retryable = True


class TransactionEnded(TransactionError):
    """The open transaction was aborted, or expired; nothing of the transaction was kept."""

    code = "transaction-ended"
    errno = 1604
    sqlstate = "40000"
    retryable = True


class StatementCancelled(TransactionError):
    """The statement was cancelled; nothing of the statement was kept."""

    code = "statement-cancelled"
    errno = 1605
    sqlstate = "57014"


class StreamError(IcemeltError):
    """A stream cannot be read."""

    code = "stream"
    errno = 1700
    sqlstate = "55000"


class StreamStale(StreamError):
    """The changes after the stream's frontier are past retention and gone."""

    code = "stream-stale"
    errno = 1701
    sqlstate = "02000"


class StreamBroken(StreamError):
    """The stream's source was dropped or replaced."""

    code = "stream-broken"
    errno = 1702
    sqlstate = "55000"


class InternalError(IcemeltError):
    """A bug in icemelt."""

    code = "internal"
    errno = 2
    sqlstate = "XX000"
