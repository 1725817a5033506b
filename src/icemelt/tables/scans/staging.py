"""Staged scans: a relation of exactly the files of a plan, with row lineage.

Iceberg's own compaction reads in this way: in a catalog of its own a set of scan tasks is a table.
The table has the current columns, `_row_id` and `_last_updated_sequence_number`.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from icemelt.storage.java_streams import SHOWN
from icemelt.tables.iceberg import STAGED_CATALOG, Iceberg, clearing
from icemelt.tables.manifests.content_files import WITHOUT_METRICS, FileImage

__all__ = ["BESIDE_ROWS", "POSITION", "TAG", "StagedScan", "TaskBuilder", "release", "stage"]

# as read.split.open-file-cost and read.split.target-size of Iceberg
_OPEN_COST, _SPLIT_SIZE = 4 << 20, 128 << 20
# several, as some files take longer than others
_TASKS_OF_A_CORE = 4
_FEW_ROWS = 1_000
# up to so many, a task made by itself is cheaper than functions that make many
_FEW = 4
_SPEC_ID = ("org.apache.iceberg.ContentFile", "specId")
_SIZE = ("org.apache.iceberg.ScanTask", "sizeBytes")
_ROWS = ("org.apache.iceberg.ScanTask", "estimatedRowsCount")
# Scans give what is reserved for them beside the rows where the schema has the field of it: where
# a row is in its file, and the id of the file's partition spec. They take the spec itself from the
# task: so the id can be any number.
_SET_TAG = ("org.apache.iceberg.BaseFile", "setSpecId")
TAG, POSITION = "`icemelt$tag`", "`icemelt$pos`"
BESIDE_ROWS = (
    {"id": 2147483643, "name": "icemelt$tag", "required": False, "type": "int"},
    {"id": 2147483645, "name": "icemelt$pos", "required": False, "type": "long"},
)
_TASK = "org.apache.iceberg.BaseFileScanTask"
_TASK_PARAMETERS = (
    "org.apache.iceberg.DataFile",
    "[Lorg.apache.iceberg.DeleteFile;",
    "java.lang.String",
    "java.lang.String",
    "org.apache.iceberg.expressions.ResidualEvaluator",
)


@dataclass(frozen=True, slots=True)
class StagedScan:
    """A set of scan tasks kept in the driver's JVM by id, until released.

    Args:
        set_id: the id.
        table: Iceberg's table.
        options: the options by which Spark reads the set.
    """

    set_id: str
    table: Any
    options: Mapping[str, object]

    @property
    def relation(self) -> str:
        """The set's name in Spark SQL."""
        options = ", ".join(f"`{name}` = {value}" for name, value in self.options.items())
        return f"{STAGED_CATALOG}.`{self.set_id}`" + (f" WITH ({options})" if options else "")


def stage(iceberg: Iceberg, table: Any, tasks: Any) -> StagedScan:
    """Stage scan tasks.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        tasks: the scan tasks, a Java list with at least one.
    """
    set_id = f"icemelt-{uuid.uuid4()}"
    _instance(iceberg, "SparkTableCache").add(set_id, table)
    _instance(iceberg, "ScanTaskSetManager").stageTasks(table, set_id, tasks)
    count, size, rows = _measure(iceberg, tasks)
    return StagedScan(set_id, table, _options(count, size, rows, iceberg.cores))


def _measure(iceberg: Iceberg, tasks: Any) -> tuple[int, int, int]:
    """Return the number of scan tasks, their size in bytes and their number of rows."""
    count = int(tasks.size())
    if count > _FEW:
        size, rows = (iceberg.functions.total(tasks, each) for each in (_SIZE, _ROWS))
        return count, size, rows
    few = [tasks.get(index) for index in range(count)]
    return count, sum(t.sizeBytes() for t in few), sum(t.estimatedRowsCount() for t in few)


def _options(files: int, size: int, rows: int, cores: int) -> dict[str, object]:
    """Return how to read files: a staged scan does not adapt by itself, as a table does.

    Small files are shared among the cores: opening files and starting Spark's tasks takes the
    longest. Files of few rows are read row by row: allocating batches takes longer than reading.

    Args:
        files: the number of files.
        size: the size of the files, in bytes.
        rows: the number of rows.
        cores: the number of tasks that run at once.

    >>> _options(5, 60 << 20, 1_000_000, 2), _options(1, 1 << 20, 10_000, 8)
    ({'split-size': 41943040}, {'split-size': 4194304})
    >>> _options(1000, 1 << 20, 100_000, 2)
    {'split-size': 524419072, 'vectorization-enabled': 'false'}
    >>> _options(8000, 1 << 40, 1 << 33, 64)
    {}
    """
    options: dict[str, object] = {}
    weight = size + files * _OPEN_COST
    if weight < cores * _SPLIT_SIZE:
        options["split-size"] = max(weight // cores, _OPEN_COST)
    elif size < cores * _SPLIT_SIZE:
        options["split-size"] = max(weight // (cores * _TASKS_OF_A_CORE), _SPLIT_SIZE)
    if rows < files * _FEW_ROWS:
        options["vectorization-enabled"] = "false"
    return options


def release(iceberg: Iceberg, staged: StagedScan) -> None:
    """Release a staged scan; queries over it can no longer run."""
    with clearing():
        _instance(iceberg, "SparkTableCache").remove(staged.set_id)
        _instance(iceberg, "ScanTaskSetManager").removeTasks(staged.table, staged.set_id)


@dataclass
class TaskBuilder:
    """Makes scan tasks from data files and their deletes."""

    iceberg: Iceberg
    table: Any
    _specs: dict[int, str] = field(default_factory=dict)

    def tasks(self, images: Sequence[FileImage], tags: Sequence[int] | None = None) -> Any:
        """Return a Java list with a task for each image.

        `tags` has the value of the column `TAG` for each image.
        """
        functions = self.iceberg.functions
        result = functions.java_class("java.util.ArrayList")()
        few = len(images) <= _FEW
        in_bulk: dict[tuple[int, int], list[int]] = {}
        for place, image in enumerate(images):
            if few or image.other_deletes or isinstance(image.files, tuple):
                result.add(self._task(image, None if tags is None else tags[place]))
            else:
                hiding = 0 if image.vector is None else id(image.vector.files)
                in_bulk.setdefault((id(image.files), hiding), []).append(place)
        for places in in_bulk.values():
            group = [images[place] for place in places]
            files = functions.pick(group[0].files, [image.index for image in group])
            shown = [image.vector for image in group if image.vector is not None]
            vectors = None
            if shown:
                vectors = functions.pick(shown[0].files, [each.index for each in shown])
            numbers = None if tags is None else [tags[place] for place in places]
            result.addAll(self.of_files(files, vectors, numbers))
        return result

    def of_files(self, files: Any, vectors: Any = None, tags: Sequence[int] | None = None) -> Any:
        """Return a Java list with a task for each data file.

        Args:
            files: the data files, a Java list.
            vectors: a Java list of the files' deletion vectors, None for none.
            tags: the value of the column `TAG` for each file, None for none.
        """
        functions = self.iceberg.functions
        result = functions.java_class("java.util.ArrayList")()
        if vectors is None and tags is None and (count := files.size()) <= _FEW:
            for index in range(count):
                result.add(self._task(FileImage("", 0, files, index), None))
            return result
        specs = functions.strings(files, _SPEC_ID, SHOWN)
        if tags is not None:
            files = functions.copy_each(files, WITHOUT_METRICS, _SET_TAG, tags)
        none = functions.array("org.apache.iceberg.DeleteFile", ())
        for spec_id in dict.fromkeys(specs):
            rest = [self._schema, self._spec(int(spec_id)), self._residuals]
            of_spec, deletes = files, vectors
            if len(specs) != specs.count(spec_id):
                places = [place for place, each in enumerate(specs) if each == spec_id]
                of_spec = functions.pick(files, places)
                deletes = None if vectors is None else functions.pick(vectors, places)
            rest = rest if deletes is not None else [none, *rest]
            result.addAll(functions.construct_each(of_spec, _TASK, _TASK_PARAMETERS, rest, deletes))
        return result

    def _task(self, image: FileImage, tag: int | None) -> Any:
        functions = self.iceberg.functions
        deletes = list(image.other_deletes)
        if image.vector is not None:
            deletes.append(image.vector.java)
        array = functions.array("org.apache.iceberg.DeleteFile", deletes)
        file = image.java
        spec = self._spec(file.specId())
        if tag is not None:
            one = functions.java_class("java.util.List").of(file)
            file = functions.copy_each(one, WITHOUT_METRICS, _SET_TAG, [tag]).get(0)
        return self.iceberg.java_class("BaseFileScanTask")(
            file, array, self._schema, spec, self._residuals
        )

    @cached_property
    def _schema(self) -> str:
        text: str = self.iceberg.java_class("SchemaParser").toJson(self.table.schema())
        return text

    @property
    def _residuals(self) -> Any:
        return self.iceberg.keep_all_rows

    def _spec(self, spec_id: int) -> str:
        if spec_id not in self._specs:
            parser = self.iceberg.java_class("PartitionSpecParser")
            self._specs[spec_id] = parser.toJson(self.table.specs().get(spec_id))
        return self._specs[spec_id]


def _instance(iceberg: Iceberg, name: str) -> Any:
    """Return a singleton of Iceberg's by reflection: py4j takes `get()` for `get(String)`."""
    return iceberg.functions.singleton(f"org.apache.iceberg.spark.{name}")
