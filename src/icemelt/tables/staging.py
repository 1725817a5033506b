"""Staged scans: a relation of exactly the files that a plan names, row lineage included.

Iceberg's own compaction reads this way, through a catalog of its own in which a set of scan tasks
is a table; it has the table's columns as they are now, `_row_id` and
`_last_updated_sequence_number`.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from icemelt.tables.deletion_vectors import DeletionVector
from icemelt.tables.iceberg import STAGED_CATALOG, Iceberg, clearing
from icemelt.tables.manifests import LOCATION, SHOWN, FileImage

__all__ = ["TAG", "TAG_FIELD", "Staged", "TaskBuilder", "release", "shown_only", "stage"]

# as read.split.open-file-cost and read.split.target-size of Iceberg
_OPEN_COST, _SPLIT_SIZE = 4 << 20, 128 << 20
# up to so many, a task made by itself is cheaper than functions that make many
_FEW = 4
_SPEC_ID = ("org.apache.iceberg.ContentFile", "specId")
_SIZE = ("org.apache.iceberg.ScanTask", "sizeBytes")
_COPY = ("org.apache.iceberg.ContentFile", "copyWithoutStats")
# Scans give the id of a file's partition spec beside its rows where the schema has the reserved
# field of it, and take the spec itself from the task: so it can be any number.
_SET_TAG = ("org.apache.iceberg.BaseFile", "setSpecId")
TAG = "`icemelt$tag`"
TAG_FIELD = {"id": 2147483643, "name": "icemelt$tag", "required": False, "type": "int"}
_TASK = "org.apache.iceberg.BaseFileScanTask"
_TASK_PARAMETERS = (
    "org.apache.iceberg.DataFile",
    "[Lorg.apache.iceberg.DeleteFile;",
    "java.lang.String",
    "java.lang.String",
    "org.apache.iceberg.expressions.ResidualEvaluator",
)


@dataclass(frozen=True, slots=True)
class Staged:
    """A set of scan tasks held in the driver's JVM under an id, until released.

    `split_size` is how many bytes Spark gives one task, None for the table's own number.
    """

    set_id: str
    table: Any
    split_size: int | None = None

    @property
    def relation(self) -> str:
        """The set as Spark SQL names it."""
        split = "" if self.split_size is None else f" WITH (`split-size` = {self.split_size})"
        return f"{STAGED_CATALOG}.`{self.set_id}`{split}"


def stage(iceberg: Iceberg, table: Any, tasks: Any) -> Staged:
    """Stage scan tasks: a Java list, not empty."""
    set_id = f"icemelt-{uuid.uuid4()}"
    _instance(iceberg, "SparkTableCache").add(set_id, table)
    _instance(iceberg, "ScanTaskSetManager").stageTasks(table, set_id, tasks)
    size = iceberg.functions.total(tasks, _SIZE) + _OPEN_COST * tasks.size()
    return Staged(set_id, table, _split_size(size, iceberg.cores))


def _split_size(size: int, cores: int) -> int | None:
    """Share a small scan among the cores: a staged one does not adapt by itself, as a table does.

    >>> _split_size(60 << 20, 2) == 30 << 20, _split_size(5 << 20, 8) == 4 << 20
    (True, True)
    >>> _split_size(1 << 40, 64) is None
    True
    """
    return None if size >= cores * _SPLIT_SIZE else max(size // cores, _OPEN_COST)


def release(iceberg: Iceberg, staged: Staged) -> None:
    """Forget a set; queries over it can no longer be run."""
    with clearing():
        _instance(iceberg, "SparkTableCache").remove(staged.set_id)
        _instance(iceberg, "ScanTaskSetManager").removeTasks(staged.table, staged.set_id)


@dataclass(slots=True)
class TaskBuilder:
    """Makes scan tasks of data files and the deletes that apply to them."""

    iceberg: Iceberg
    table: Any
    _schema: str = ""
    _specs: dict[int, str] = field(default_factory=dict)
    _residuals: Any = None

    def tasks(self, images: Sequence[FileImage], tag: int | None = None) -> Any:
        """Return a Java list with one task for each image; a `tag` is what `TAG` shows of them."""
        named = self.iceberg.named
        self._schema = self._schema or named("SchemaParser").toJson(self.table.schema())
        if self._residuals is None:
            always = named("expressions.Expressions").alwaysTrue()
            self._residuals = named("expressions.ResidualEvaluator").unpartitioned(always)
        functions = self.iceberg.functions
        result = functions.named("java.util.ArrayList")()
        in_bulk: dict[int, list[FileImage]] = {}
        few = len(images) <= _FEW
        for image in images:
            if not (few or image.vector or image.other_deletes or _is_lone(image)):
                in_bulk.setdefault(id(image.files), []).append(image)
            else:
                result.add(self._task(image, tag))
        for group in in_bulk.values():
            wanted = [image.location for image in group]
            files = functions.kept(group[0].files, wanted, LOCATION)
            for spec_id in set(functions.strings(files, _SPEC_ID, SHOWN)):
                of_spec = functions.kept(files, [spec_id], _SPEC_ID, SHOWN)
                if tag is not None:
                    of_spec = functions.copies(of_spec, _COPY, _SET_TAG, tag)
                no_deletes = functions.array("org.apache.iceberg.DeleteFile", ())
                rest = [no_deletes, self._schema, self._spec(int(spec_id)), self._residuals]
                result.addAll(functions.made_of_each(of_spec, _TASK, _TASK_PARAMETERS, rest))
        return result

    def _task(self, image: FileImage, tag: int | None) -> Any:
        deletes = list(image.other_deletes)
        if image.vector is not None:
            deletes.append(image.vector.java)
        array = self.iceberg.functions.array("org.apache.iceberg.DeleteFile", deletes)
        file = image.java
        spec = self._spec(file.specId())
        if tag is not None:
            one = self.iceberg.functions.named("java.util.List").of(file)
            file = self.iceberg.functions.copies(one, _COPY, _SET_TAG, tag).get(0)
        return self.iceberg.named("BaseFileScanTask")(
            file, array, self._schema, spec, self._residuals
        )

    def _spec(self, spec_id: int) -> str:
        if spec_id not in self._specs:
            parser = self.iceberg.named("PartitionSpecParser")
            self._specs[spec_id] = parser.toJson(self.table.specs().get(spec_id))
        return self._specs[spec_id]


def shown_only(
    iceberg: Iceberg, table: Any, hidden: Sequence[tuple[FileImage, DeletionVector]]
) -> list[FileImage]:
    """Return images whose vectors are temporary ones: `DeleteFile`s made of their documents."""
    if not hidden:
        return []
    document = json.dumps({"delete-files": [dict(vector.document) for _, vector in hidden]})
    node = iceberg.named("util.JsonUtil").mapper().readTree(document)
    parser = iceberg.named("rest.TableScanResponseParser")
    files = iceberg.functions.elements(parser.parseDeleteFiles(node, table.specs()))
    images = []
    for (image, vector), java in zip(hidden, files, strict=True):
        made = DeletionVector(
            vector.path, vector.offset, vector.size, vector.data_file, vector.rows, {}, java
        )
        images.append(replace(image, vector=made))
    return images


def _is_lone(image: FileImage) -> bool:
    return isinstance(image.files, tuple)


def _instance(iceberg: Iceberg, name: str) -> Any:
    """Return a singleton; py4j takes its static `get()` for `get(String)`, reflection does not."""
    return iceberg.functions.singleton(f"org.apache.iceberg.spark.{name}")
