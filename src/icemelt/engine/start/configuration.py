"""Spark's settings at the start, made of icemelt's defaults, the machine's size and the options."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

__all__ = [
    "JARS",
    "JAVA_OPTIONS",
    "MEMORY",
    "RESERVED",
    "LaunchOptions",
    "Machine",
    "prepend_values",
    "spark_configuration",
    "starts_java_directly",
    "this_machine",
]

# icemelt's own settings: the number of task slots beyond the cores at Spark's start, and whether
# Spark's functions for machine learning are registered
RESERVED = "spark.icemelt.reserved"
_ML = "spark.icemelt.ml"

_GIGABYTE = 1 << 30
_CLASS_PATH = "spark.driver.extraClassPath"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
JARS = "spark.jars"
_PACKAGES = "spark.jars.packages"
MEMORY = "spark.driver.memory"
# variables with which Spark's scripts make another class path, or another command
_READ_BY_SCRIPTS = (
    "HADOOP_CONF_DIR",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_API_MODE",
    "SPARK_CONF_DIR",
    "SPARK_DIST_CLASSPATH",
    "SPARK_LAUNCHER_OPTS",
    "SPARK_MEM",
    "SPARK_PREPEND_CLASSES",
    "SPARK_REMOTE",
    "SPARK_SQL_TESTING",
    "SPARK_SUBMIT_OPTS",
    "SPARK_TESTING",
    "YARN_CONF_DIR",
)
# settings that Spark's scripts, or the class that they run, read before there is a context
_READ_BEFORE_START = (
    "spark.api.",
    "spark.archives",
    "spark.driver.default",
    "spark.driver.extra",
    "spark.files",
    "spark.kerberos.",
    "spark.log.",
    "spark.remote",
    "spark.submit.",
)
# On few cores ParallelGC starts sooner and computes a quarter more than Java's choice. The
# collector may take 5 % of the time: with its default of 1 % the collector takes twice the memory,
# and is no faster. NewSize: during steady commits the collector would shrink the young generation
# until objects kept from one commit to the next pass for old, and memory grows for ten minutes.
_COLLECTOR = "-XX:+UseParallelGC -XX:GCTimeRatio=19 -XX:NewSize=160m"
# A plan of hundreds of queries over one another is walked by recursion: Java's 1 MB is too little
# for it as long as the code is not compiled. Memory is taken as it is used.
_STACK = "-Xss4m"
_MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")

_DEFAULTS = {
    "spark.app.name": "icemelt",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    # with push-down a query of max(_row_id) alone fails
    "spark.sql.iceberg.aggregate-push-down.enabled": "false",
    # stages have locations as s3://bucket/path, which Hadoop's connector knows as s3a alone
    "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    # the changes of a view are dozens of compiled stages, the same at every refresh
    "spark.sql.codegen.cache.maxEntries": "2000",
    # of many small files, as COPY INTO and pipes read them: list some in each task, not one, and
    # read more in each task than by Spark's 4 MB for the opening of a file
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "16",
    "spark.sql.files.openCostInBytes": "1048576",
    # tasks without a pool are in Spark's default pool, in the order of arrival, as without pools
    "spark.scheduler.mode": "FAIR",
    "spark.scheduler.allocation.file": Path(__file__).with_name("pools.xml").as_uri(),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Spark keeps plans as text for the web page, which is off: with all literal rows, and with the
    # times of a hundred thousand tasks
    "spark.sql.ui.retainedExecutions": "10",
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "100",
    "spark.ui.retainedTasks": "1000",
    "spark.sql.maxPlanStringLength": "100000",
}

# Any user of the machine can connect to Spark's ports, so connections need a secret. Spark makes
# the secret in Java's memory, where executors in other processes could not read the secret.
_PRIVATE_PORTS = {"spark.authenticate": "true"}

# Spark ends the Java process of a task that lacks stack: the driver's own process, with all
# statements, for one deep value. Without a look at the causes the error ends the task alone.
_SURVIVED_TASKS = {"spark.executor.killOnFatalError.depth": "0"}


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """How to start Spark; options not given are chosen for the machine.

    Attributes:
        master: Spark's master URL.
        memory: the heap as a Java size, such as "4g".
        log_level: the level of Spark's log.
        conf: Spark settings, which replace icemelt's. Jars, packages and the class path are joined
            to icemelt's.
        packages: Maven coordinates for Spark to fetch, such as a storage connector.
        java_options: additional arguments of a local Java.
        ends_without_memory: whether Java ends when memory runs out, also if Spark would go on.
        has_accumulators: whether this process has a port for counts of Python functions'
            accumulators. Python functions with accumulators do not run without the port.
        has_ml: whether Spark's functions for machine learning are registered, which PySpark's
            `vector_to_array` needs and no statement does. It takes a third of Spark's start.
        reserved: the number of task slots beyond the machine's cores, for the master `local[*]`
            only; sleeping tasks of `engine.slots` hold the slots.
    """

    master: str = "local[*]"
    memory: str | None = None
    log_level: str = "ERROR"
    conf: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    packages: tuple[str, ...] = ()
    java_options: tuple[str, ...] = ()
    ends_without_memory: bool = False
    has_accumulators: bool = True
    has_ml: bool = True
    reserved: int = 0

    @property
    def is_local(self) -> bool:
        """Whether everything runs on this machine."""
        return self.master.startswith("local")

    @property
    def is_one_process(self) -> bool:
        """Whether the driver computes by itself, without executors."""
        return self.master.partition("[")[0] == "local"


@dataclass(frozen=True, slots=True)
class Machine:
    """The cores and the bytes of memory to run on."""

    cores: int
    memory: int


def this_machine() -> Machine:
    """Return the cores and the bytes of memory that this process may use.

    >>> this_machine().cores >= 1
    True
    """
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(cores, min(memory, *_container_limits(memory)))


def spark_configuration(
    options: LaunchOptions, machine: Machine, jars: Sequence[Path], folder: Path
) -> dict[str, str]:
    """Return every setting to start Spark with.

    Args:
        options: the caller's options.
        machine: the cores and the memory to use.
        jars: the jars that Spark lacks.
        folder: a folder for Spark's temporary files.

    >>> options = LaunchOptions(conf={"spark.sql.session.timeZone": "Europe/Paris"})
    >>> conf = spark_configuration(options, Machine(4, 16 << 30), [Path("/j/i.jar")], Path("/tmp"))
    >>> conf["spark.driver.memory"], conf["spark.sql.shuffle.partitions"]
    ('6553m', '8')
    >>> conf["spark.sql.session.timeZone"], conf["spark.driver.extraClassPath"]
    ('Europe/Paris', '/j/i.jar')
    """
    settings = {
        **_DEFAULTS,
        "spark.master": options.master,
        "spark.log.level": options.log_level,
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        **_memory_settings(options, machine),
    }
    if options.is_local:
        settings |= _local_settings(options, machine, folder)
    if options.is_one_process:
        settings |= _PRIVATE_PORTS | _SURVIVED_TASKS
    if not options.has_ml:
        settings[_ML] = "false"
    if options.packages:
        settings[_PACKAGES] = ",".join(options.packages)
    conf = {**settings, **options.conf}
    prepend_values(conf, _PACKAGES, options.packages)
    _add_jars(conf, jars, on_class_path=_may_use_class_path(options, jars))
    return conf


def _container_limits(memory: int) -> list[int]:
    limits = [memory]
    for name in _MEMORY_LIMITS:
        try:
            limits.append(int(Path(name).read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return limits


def _memory_settings(options: LaunchOptions, machine: Machine) -> dict[str, str]:
    if options.memory is not None:
        return {MEMORY: options.memory}
    if "SPARK_DRIVER_MEMORY" in os.environ:
        return {}
    share = min(max(machine.memory * 4 // 10, _GIGABYTE), 8 * _GIGABYTE)
    return {MEMORY: f"{share >> 20}m"}


def _local_settings(options: LaunchOptions, machine: Machine, folder: Path) -> dict[str, str]:
    cores = re.match(r"local\[(\d+)", options.master)
    parallel = int(cores[1]) if cores else machine.cores
    arguments = [f"-Djava.io.tmpdir={folder}", *options.java_options]
    if options.ends_without_memory:
        arguments.append("-XX:+ExitOnOutOfMemoryError")
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.shuffle.partitions": str(2 * parallel),
        JAVA_OPTIONS: f"{_COLLECTOR} {_STACK} {shlex.join(arguments)}",
        **_slot_settings(options, machine),
    }


def _slot_settings(options: LaunchOptions, machine: Machine) -> dict[str, str]:
    """Return the settings for more task slots than cores, without more tasks for a statement."""
    if not options.reserved or options.master != "local[*]":
        return {}
    cores = str(machine.cores)
    return {
        "spark.master": f"local[{machine.cores + options.reserved}]",
        RESERVED: str(options.reserved),
        "spark.default.parallelism": cores,
        "spark.sql.leafNodeDefaultParallelism": cores,
    }


def prepend_values(
    conf: dict[str, str], key: str, values: Sequence[str], separator: str = ","
) -> None:
    """Put values in front of the values of a setting, every value once.

    >>> conf = {"spark.jars": "file:/connector.jar,file:/i.jar"}
    >>> prepend_values(conf, "spark.jars", ["file:/i.jar"])
    >>> conf["spark.jars"]
    'file:/i.jar,file:/connector.jar'
    """
    present = [value for value in conf.get(key, "").split(separator) if value]
    values = [*dict.fromkeys([*values, *present])]
    if values:
        conf[key] = separator.join(values)


def _may_use_class_path(options: LaunchOptions, jars: Sequence[Path]) -> bool:
    """Return whether jars may go on Java's class path.

    Jars on the class path save a second, and a copy of the jars, at every start. A class on the
    class path cannot see classes of jars loaded by Spark, such as a storage connector's. Executors
    in other processes, as with `local-cluster`, have another class path.
    """
    loads_more = bool(options.packages) or any(key.startswith(JARS) for key in options.conf)
    is_configured = "PYSPARK_SUBMIT_ARGS" in os.environ or _has_defaults_file()
    # the class path has this sign between two jars
    has_separator = any(os.pathsep in str(jar) for jar in jars)
    return options.is_one_process and not (has_separator or loads_more or is_configured)


def starts_java_directly(options: LaunchOptions, jars: Sequence[Path], home: Path) -> bool:
    """Return whether Java's command is icemelt's choice alone, and so is its class path.

    Args:
        options: the caller's options.
        jars: the jars that Spark lacks.
        home: Spark's own folder; in `conf` below there may be files that Spark's scripts read.
    """
    has_settings = any(key.startswith(_READ_BEFORE_START) for key in options.conf)
    has_variables = any(os.environ.get(name) for name in _READ_BY_SCRIPTS)
    is_configured = has_settings or has_variables or (home / "conf").exists()
    return _may_use_class_path(options, jars) and not is_configured


def _has_defaults_file() -> bool:
    """Return whether the folder SPARK_CONF_DIR has a file with settings."""
    folder = os.environ.get("SPARK_CONF_DIR")
    return folder is not None and (Path(folder) / "spark-defaults.conf").exists()


def _add_jars(conf: dict[str, str], jars: Sequence[Path], *, on_class_path: bool) -> None:
    if on_class_path:
        prepend_values(conf, _CLASS_PATH, [str(jar) for jar in jars], os.pathsep)
    else:
        prepend_values(conf, JARS, [jar.as_uri() for jar in jars])
