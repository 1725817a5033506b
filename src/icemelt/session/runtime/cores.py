"""Make the parts of a session: on a Spark session of its own, also of a server's guest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import SparkSession

from icemelt.catalog.database import Database
from icemelt.engine.functions import keep_harmless
from icemelt.engine.java_functions import add_java_functions
from icemelt.engine.plan_outline import open_outliner
from icemelt.engine.relations import Relations
from icemelt.engine.scratch import open_scratch
from icemelt.engine.start.launch import LaunchOptions, launch_spark
from icemelt.engine.vitals import memory_of
from icemelt.engine.wall import Wall
from icemelt.names import QualifiedName
from icemelt.session.runtime.core import Core, InformationRows, new_id
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.path_policy import PathPolicy
from icemelt.session.runtime.scope import StatementScope
from icemelt.session.runtime.settings import Settings
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import set_settings
from icemelt.tables.iceberg import connect_iceberg
from icemelt.transactions.resolver import Resolver

__all__ = [
    "make_core",
    "make_core_in_schema",
    "make_core_on_new_spark",
    "make_guest_core",
    "open_spark_session",
]

# rows of an Arrow batch: few, so that wide rows of a guest's result fit in memory
_ROWS_A_BATCH = 500
# a broadcast table is held whole by every task, and may be larger than Spark estimated
_MAX_BROADCAST_SETTING, _BROADCAST_SHARE = "spark.sql.maxBroadcastTableSize", 8
# Settings that results depend on: the same in every session, whatever the application has.
_SPARK_SETTINGS = {
    # of a query that is analysed as a whole, some for each query of WITH over another one
    "spark.sql.analyzer.maxIterations": "2000",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.iceberg.aggregate-push-down.enabled": "false",
    "spark.sql.legacy.javaCharsets": "true",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.sources.partitionOverwriteMode": "STATIC",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.udt.allowCreatingUDTFromString": "false",
    "spark.sql.variable.substitute": "false",
}


def open_spark_session(spark: SparkSession) -> SparkSession:
    """Return a new Spark session of an application, with all settings that results depend on."""
    own = spark.newSession()
    add_java_functions(own)
    set_settings(own, _SPARK_SETTINGS)
    return own


def make_core(
    own: SparkSession,
    database: Database,
    user: str,
    information: InformationRows,
    scratch: str | None,
    pool: str = "",
) -> Core:
    """Return the parts of a session.

    Args:
        own: the session's own Spark session.
        database: the open catalog.
        user: the user in the history.
        information: makes the rows of relations of INFORMATION_SCHEMA.
        scratch: where reads put temporary files, None for the default place of this machine.
        pool: the pool of Spark's scheduler for the session's jobs, empty for the application's
            default.
    """
    # if Spark is dying, fail here, before resources are opened that have to be closed
    wall = Wall(open_outliner(own))
    iceberg = connect_iceberg(own, database.warehouse)
    session_id = new_id()
    return Core(
        spark=own,
        database=database,
        iceberg=iceberg,
        jobs=Jobs(own, session_id, pool),
        relations=Relations(iceberg, open_scratch(scratch)),
        newest=Resolver(database, iceberg, session_id),
        wall=wall,
        settings=Settings(),
        user=user,
        session_id=session_id,
        information=information,
    )


def make_core_on_new_spark(core: Core, options: LaunchOptions) -> Core:
    """Return the parts of a session on a new Spark, in place of one whose Spark died.

    The catalog is that of the session before, and is closed after both.

    Args:
        core: the parts of the session whose Spark died.
        options: how Spark starts.

    Raises:
        SetupError: Spark does not start.
    """
    spark = launch_spark(options)
    scratch = core.relations.scratch.place
    with translated(spark):
        own = open_spark_session(spark)
        made = make_core(own, core.database, core.user, core.information, scratch, core.jobs.pool)
    return replace(made, suspects=core.suspects, guest_limit=core.guest_limit, plans=core.plans)


def make_guest_core(host: Core, user: str, locations: Sequence[str], pool: str = "") -> Core:
    """Return the parts of a session that calls only harmless functions, and names only some paths.

    Args:
        host: the parts of a session that may do all.
        user: the user in the history.
        locations: the folders and locations that COPY INTO may name.
        pool: the pool of Spark's scheduler for the jobs, empty for the application's default.
    """
    own = open_spark_session(host.spark)
    keep_harmless(own)
    own.conf.set(_MAX_BROADCAST_SETTING, str(memory_of(own) // _BROADCAST_SHARE))
    own.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(_ROWS_A_BATCH))
    scratch = host.relations.scratch.place
    core = make_core(own, host.database, user, host.information, scratch, pool)
    return replace(
        core,
        reach=PathPolicy(tuple(locations)),
        guest_limit=host.guest_limit,
        suspects=host.suspects,
        plans=host.plans,
        wall=replace(core.wall, for_guest=True),
    )


def make_core_in_schema(core: Core, name: QualifiedName, timezone: str) -> Core:
    """Return the parts of a session in the schema of an object, outside of any transaction.

    Short names belong to the schema, and mean no temporary objects.

    Args:
        core: the parts of a session.
        name: the full name of the object.
        timezone: the time zone of the session.
    """
    settings = Settings(
        database=name.database,
        schema=name.schema,
        timezone=timezone,
        lock_timeout=core.settings.lock_timeout,
        running_task=core.settings.running_task,
    )
    newest = replace(core.newest, session_id="")
    # each look-up is of its own moment: a run may take long
    return replace(core, settings=settings, newest=newest, scope=StatementScope())
