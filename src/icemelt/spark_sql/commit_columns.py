"""Changes in the columns of other dialects: the version of every row, and the version's time.

A function takes a relation of changes from `change_relations`, and returns another relation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.spark_sql.change_relations import CARRIED
from icemelt.spark_sql.own_columns import (
    CHANGE_COLUMNS,
    COMMIT_COLUMNS,
    RANGE_COLUMNS,
    TABLE_STREAM_COLUMNS,
)

__all__ = ["Commits", "range_changes", "redo_log", "table_stream"]

_ACTION, _ISUPDATE, _ROW_ID = map(quote, CHANGE_COLUMNS)
_VERSION, _TIME = map(quote, COMMIT_COLUMNS)


@dataclass(frozen=True, slots=True)
class Commits:
    """Versions and their times by consecutive numbers.

    Args:
        first: the number of the first version. Lower numbers mean the first version.
        versions: the versions.
        times: the versions' times, in milliseconds since 1970.
    """

    first: int = 0
    versions: Sequence[int] = ()
    times: Sequence[int] = ()

    def version_of(self, number: str) -> str:
        """Return the expression of a version, NULL for a NULL number."""
        return self._among(self.versions, number)

    def time_of(self, number: str) -> str:
        """Return the expression of a version's time, an instant."""
        return f"timestamp_millis({self._among(self.times, number)})"

    def _among(self, values: Sequence[int], number: str) -> str:
        # one constant, read once: Spark takes long for thousands of them
        constant = f"from_json('{json.dumps(list(values))}', 'array<bigint>')"
        place = f"if({number} < {self.first}, 0, CAST({number} - {self.first} AS INT))"
        return f"get({constant}, {place})"


def table_stream(relation: str, columns: Sequence[Column], commits: Commits | None) -> str:
    """Return changes as a table stream gives them: the stream's columns, then the table's columns.

    `commits` is None if the query does not name the columns of commits: they are left out.

    >>> from icemelt.schema import Primitive
    >>> table_stream("c", [Column("id", Primitive("long"))], None)[-38:]
    'ION`) AS `__change_type`, `id` FROM c)'
    """
    kind = f"if({_ISUPDATE}, if({_ACTION} = 'DELETE', 'UPDATE_BEFORE', 'UPDATE_AFTER'), {_ACTION})"
    change_type, version, time = map(quote, TABLE_STREAM_COLUMNS)
    shown = [f"{kind} AS {change_type}"]
    if commits is not None:
        shown.append(f"{commits.version_of(CARRIED)} AS {version}")
        shown.append(f"{commits.time_of(CARRIED)} AS {time}")
    shown += [quote(column.name) for column in columns]
    return f"(SELECT {', '.join(shown)} FROM {relation})"


def redo_log(relation: str, columns: Sequence[Column], commits: Commits) -> str:
    """Return changes with their version and its time behind the METADATA columns.

    Args:
        relation: the changes, with the version's number as CARRIED.
        columns: the columns of the rows.
        commits: the versions.
    """
    shown = [quote(name) for name in (*(column.name for column in columns), *CHANGE_COLUMNS)]
    shown.append(f"{commits.version_of(CARRIED)} AS {_VERSION}")
    shown.append(f"{commits.time_of(CARRIED)} AS {_TIME}")
    return f"(SELECT {', '.join(shown)} FROM {relation})"


def range_changes(log: str, columns: Sequence[Column], *, net: bool, computes_updates: bool) -> str:
    """Return a redo log as CHANGES FROM gives it: the columns, then Spark's three.

    Args:
        log: the relation of a redo log.
        columns: those of the rows.
        net: whether a row has two changes at most: of its first change the image before, of its
            last one that after, each with the version of that change.
        computes_updates: whether the images of an update are told from deletes and inserts.
    """
    shown = [quote(column.name) for column in columns]
    if net:
        log = _net_changes(log, shown)
    is_update = _ISUPDATE if computes_updates else "false"
    before = f"if({is_update}, 'update_preimage', 'delete')"
    after = f"if({is_update}, 'update_postimage', 'insert')"
    kind, version, time = map(quote, RANGE_COLUMNS)
    shown.append(f"if({_ACTION} = 'DELETE', {before}, {after}) AS {kind}")
    shown += [f"{_VERSION} AS {version}", f"{_TIME} AS {time}"]
    return f"(SELECT {', '.join(shown)} FROM {log})"


def _net_changes(log: str, names: Sequence[str]) -> str:
    """Return the image of a row before its first change, and the image after its last change."""
    image = f"struct({', '.join([*names, _ACTION, _VERSION, _TIME])})"
    place = f"struct({_VERSION}, {_ACTION})"  # in one version DELETE is first
    ends = f"min_by({image}, {place}) AS r, max_by({image}, {place}) AS a"
    rows = f"(SELECT {ends} FROM {log} GROUP BY {_ROW_ID})"
    was, stays = f"r.{_ACTION} = 'DELETE'", f"a.{_ACTION} = 'INSERT'"
    images = f"filter(array(if({was}, r, NULL), if({stays}, a, NULL)), i -> i IS NOT NULL)"
    both = f"SELECT {was} AND {stays} AS {_ISUPDATE}, inline({images}) FROM {rows}"
    return f"({both})"
