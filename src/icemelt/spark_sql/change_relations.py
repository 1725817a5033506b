"""Change queries as Spark SQL over the two sides of a change scan.

A function returns a query in parentheses, to stand where a table stands in FROM. The query has the
table's columns, then METADATA$ACTION, METADATA$ISUPDATE and METADATA$ROW_ID. One more column,
`CARRIED`, follows if both sides have a column to pass on, such as the number of a row's version. A
side is a relation with the table's columns and `_row_id`. In the SQL, `r` is a row's image on the
removed side and `a` the image on the added side.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.algebra.expressions import EXACT_JSON
from icemelt.quoting import quote, text_literal
from icemelt.schema import Column, Primitive
from icemelt.spark_sql.equality import canonical_form, equality_condition

__all__ = [
    "CARRIED",
    "SEQUENCE",
    "AppendedRelation",
    "InsertedRelations",
    "Matching",
    "Sides",
    "cancel_equal_rows",
    "canonical_key",
    "fresh_rows",
    "hash_row_id",
    "match_across_epochs",
    "match_by_key",
    "match_by_row_id",
    "match_with_inserts",
    "require_unique_key",
    "rows_after_commit",
    "select_inserted",
    "select_nothing",
    "select_one_side",
    "union_tagged_rows",
    "value_as_text",
    "values_as_text",
]

_ACTION, _ISUPDATE, _ROW_ID = (
    quote(f"METADATA${name}") for name in ("ACTION", "ISUPDATE", "ROW_ID")
)
# a scan's column with the sequence number of the commit that wrote a row
SEQUENCE = quote("_last_updated_sequence_number")
CARRIED = quote("icemelt$carried")
_SAME_ID = "r.`_row_id` = a.`_row_id`"
# a bit above all row ids: the hexadecimal row id always has sixteen digits
_FIXED_LENGTH = 1 << 62


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a change scan, as relations.

    Args:
        columns: the table's columns.
        domains: the namespaces of the row ids in METADATA$ROW_ID, each with the first `_row_id` in
            the namespace, in ascending order. Keys and values as identities are in the first one.
        added: the relation of added rows, None for none.
        removed: the relation of removed rows, None for none.
        carried: a column of both relations passed on with every image; empty for none.
        parted: whether two images of a row match only with equal carried values.
    """

    columns: tuple[Column, ...]
    domains: tuple[tuple[int, str], ...]
    added: str | None = None
    removed: str | None = None
    carried: str = ""
    parted: bool = False

    def tail(self, carried: str) -> list[str]:
        """Return the SELECT items behind a row: the carried expression, if any."""
        return [f"{carried} AS {CARRIED}"] if self.carried else []


@dataclass(frozen=True, slots=True)
class AppendedRelation:
    """A relation of appended files, and the rows to keep.

    Args:
        relation: the relation.
        row_ids: the row ids to keep, as (first, count); None keeps all.
        commits: the sequence numbers of commits to keep, as (first, count); None keeps all.
    """

    relation: str
    row_ids: tuple[tuple[int, int], ...] | None = None
    commits: tuple[tuple[int, int], ...] | None = None


class Matching(enum.Enum):
    """Where both images of a row are matched; the value is Spark's join hint.

    - ANYWHERE: where Spark chooses.
    - BROADCAST: in every task of the removed side; the added side is small.
    - ONE_TASK: in a single task, without a shuffle; both sides are small.
    """

    ANYWHERE = ""
    BROADCAST = "/*+ BROADCAST(a) */ "
    ONE_TASK = "/*+ SHUFFLE_HASH(a) */ "


@dataclass(frozen=True, slots=True)
class InsertedRelations:
    """The added side, split by row id: a row with id `first_id` or higher has no old image.

    Args:
        first_id: the first id of an inserted row.
        new: a relation of inserted rows alone, None for none.
        rest: a relation of updated rows, None for none.
        mixed: whether `rest` has inserted rows too.
        matching: where images are matched.
    """

    first_id: int
    new: str | None
    rest: str | None
    mixed: bool
    matching: Matching


def select_nothing(sides: Sides) -> str:
    """Return an empty relation; `sides.added` gives the columns, and is not read."""
    columns = [quote(column.name) for column in sides.columns]
    tail = [f"'' AS {_ACTION}", f"false AS {_ISUPDATE}", f"'' AS {_ROW_ID}"]
    tail += sides.tail("CAST(NULL AS BIGINT)")
    return f"(SELECT {', '.join([*columns, *tail])} FROM {sides.added} WHERE false)"


def select_one_side(sides: Sides, key: Sequence[Column] = ()) -> str:
    """Return the changes if only one side has files: a scan. A declared `key` may give the row ids.

    >>> from icemelt.schema import Primitive
    >>> sides = Sides((Column("id", Primitive("long")),), ((0, "d"),), added="a")
    >>> select_one_side(sides)[:38]
    "(SELECT `id`, 'INSERT' AS `METADATA$AC"
    """
    action, relation = (
        ("INSERT", sides.added) if sides.added is not None else ("DELETE", sides.removed)
    )
    return f"(SELECT {_build_row_items('', sides, action, key)} FROM {relation})"


def union_tagged_rows(
    sides: Sides, relation: str | None, files: str, places: str, position: str
) -> str:
    """Return the rows of a relation, and rows of files shared by several versions.

    A file is read once for all versions, and `places` gives the versions of its rows. With two rows
    of the file with tag 0, of which version 7 shows both and version 9 one:

        files: id, carried, position    places: file, pos, number    result: id, carried
               1,  0,       0                   0,    0,   7                 1,  7
               2,  0,       1                   0,    1,   7                 2,  7
                                                0,    1,   9                 2,  9

    Args:
        sides: the columns, and the name of the carried column.
        relation: rows with their own carried value, None for none.
        files: the relation of shared files, whose carried column is the file's tag.
        places: a relation of `file` (the tag), `pos` (position in the file) and `number` (to
            carry).
        position: the column of `files` with a row's position in its file.
    """
    names = [*(quote(column.name) for column in sides.columns), "`_row_id`"]
    columns, carried = ", ".join(names), sides.carried
    shown = ", ".join(f"f.{name}" for name in names)
    same_row = f"f.{carried} = p.file AND f.{position} = p.pos"
    parts = [
        f"SELECT {shown}, p.number AS {carried} FROM {files} f JOIN {places} p ON {same_row}",
    ]
    if relation is not None:
        parts.append(f"SELECT {columns}, {carried} FROM {relation}")
    return f"({' UNION ALL '.join(parts)})"


def match_by_row_id(sides: Sides) -> str:
    """Return the min-delta of both sides, matched by `_row_id`."""
    return _join_images(sides, sides.removed or "", sides.added or "", _Match(_SAME_ID))


def match_with_inserts(sides: Sides, inserted: InsertedRelations) -> str:
    """Return the min-delta matched by `_row_id`; inserted rows are not matched.

    Args:
        sides: the columns and the removed side; `sides.added` is not read.
        inserted: the added side, split into inserted rows and others.
    """
    insert, is_new = _build_row_items("", sides, "INSERT"), f"`_row_id` >= {inserted.first_id}"
    parts = [] if inserted.new is None else [f"SELECT {insert} FROM {inserted.new}"]
    if inserted.rest is None:
        parts.append(f"SELECT {_build_row_items('', sides, 'DELETE')} FROM {sides.removed}")
        return f"({' UNION ALL '.join(parts)})"
    removed, rest = sides.removed or "", inserted.rest
    if inserted.mixed:
        parts.append(f"SELECT {insert} FROM {rest} WHERE {is_new}")
        rest = f"(SELECT * FROM {rest} WHERE NOT {is_new})"
    if inserted.matching is Matching.ONE_TASK:
        # two single partitions meet without an exchange
        removed, rest = (f"(SELECT /*+ COALESCE(1) */ * FROM {side})" for side in (removed, rest))
    match = _Match(_SAME_ID, "LEFT", inserted.matching.value)
    parts.append(f"SELECT * FROM {_join_images(sides, removed, rest, match)}")
    return f"({' UNION ALL '.join(parts)})"


def match_across_epochs(sides: Sides, epochs: Sequence[tuple[str | None, str | None]]) -> str:
    """Return the min-delta of several compaction epochs, matched by `_row_id`.

    A row that changed in several epochs has several removed and added images. The row's old image
    is the oldest removed image, unless an older epoch added the row: then the row is new. The new
    image is the newest added image, unless a newer epoch removed the row: then the row is gone.

    Args:
        sides: the columns; `sides.added` and `sides.removed` are not read.
        epochs: the relations of removed and of added rows of every epoch, oldest first; None for no
            rows.
    """
    names = [quote(column.name) for column in sides.columns]
    columns = ", ".join([*names, *([sides.carried] if sides.carried else [])])
    image = f"struct(true AS `icemelt$here`, `_row_id`, {columns}) AS `icemelt$image`"
    images = " UNION ALL ".join(
        f"SELECT {image}, {place} AS `icemelt$stretch`, {sign} AS `icemelt$sign` FROM {relation}"
        for place, epoch in enumerate(epochs)
        for sign, relation in zip((-1, 1), epoch, strict=True)
        if relation is not None
    )
    extremes = ", ".join(
        f"{function}(`icemelt$stretch`) {of_side} AS `{function} {side}`, "
        f"{function}_by(`icemelt$image`, `icemelt$stretch`) {of_side} AS `{function} {side} image`"
        for function in ("min", "max")
        for side, of_side in (
            ("removed", "FILTER (WHERE `icemelt$sign` = -1)"),
            ("added", "FILTER (WHERE `icemelt$sign` = 1)"),
        )
    )
    ends = (
        "if(`min removed` > `min added`, null, `min removed image`) AS r, "
        "if(`max added` < `max removed`, null, `max added image`) AS a"
    )
    rows = f"SELECT {extremes} FROM ({images}) GROUP BY `icemelt$image`.`_row_id`"
    return _select_changes(sides, f"(SELECT {ends} FROM ({rows}))")


def match_by_key(sides: Sides, key: Sequence[Column]) -> str:
    """Return the min-delta matched by a declared key; two rows of a side with one key are an error.

    If the sides are `parted`, two rows of a side may have one key and different carried values.
    """
    match = " AND ".join(
        f"{canonical_key(column, 'r.')} <=> {canonical_key(column, 'a.')}" for column in key
    )
    empty = f"(SELECT * FROM {sides.added or sides.removed} WHERE false)"
    within = sides.carried if sides.parted else ""
    removed = require_unique_key(sides.removed or empty, key, within)
    added = require_unique_key(sides.added or empty, key, within)
    return _join_images(sides, removed, added, _Match(match, key=key))


def cancel_equal_rows(sides: Sides) -> str:
    """Return the min-delta of rows without usable row ids: equal removed and added rows cancel.

    METADATA$ISUPDATE is false for every change. METADATA$ROW_ID is a hash of the row's values and
    of a number that counts equal rows.
    """
    columns = ", ".join(quote(column.name) for column in sides.columns)
    keys = [f"`icemelt$key{index}`" for index in range(len(sides.columns))]
    values = ", ".join(
        f"{canonical_form(column.type, quote(column.name))} AS {key}"
        for column, key in zip(sides.columns, keys, strict=True)
    )
    carried_item = "".join(f"{item}, " for item in sides.tail(sides.carried))
    both = " UNION ALL ".join(
        f"SELECT {columns}, {values}, {carried_item}{sign} AS `icemelt$sign` FROM {relation}"
        for sign, relation in ((-1, sides.removed), (1, sides.added))
        if relation is not None
    )
    row_id = hash_row_id(sides.domains[0][1], "'values'", values_as_text(keys), "`_ordinal`")
    images = ", ".join(f"`_image`.{quote(column.name)}" for column in sides.columns)
    group = ", ".join([*keys, *([CARRIED] if sides.parted else [])])
    carried = f"max({CARRIED}) FILTER (WHERE `icemelt$sign` = {{}})"
    latest = ""
    if sides.carried and not sides.parted:
        # nothing tells which of several equal rows remains: the highest carried value is taken
        latest = f"if(sum(`icemelt$sign`) > 0, {carried.format(1)}, {carried.format(-1)})"
        latest = f"{latest} AS {CARRIED}, "
    shown = f", {CARRIED}" if sides.carried else ""
    return (
        f"(SELECT {images}, `_action` AS {_ACTION}, false AS {_ISUPDATE}, {row_id} AS {_ROW_ID}"
        f"{shown} FROM (SELECT *, if(`_count` > 0, 'INSERT', 'DELETE') AS `_action`, "
        f"explode(sequence(1L, abs(`_count`))) AS `_ordinal` "
        f"FROM (SELECT first(struct({columns})) AS `_image`, sum(`icemelt$sign`) AS `_count`, "
        f"{latest}{group} FROM ({both}) GROUP BY {group}) WHERE `_count` <> 0))"
    )


def select_inserted(sides: Sides, parts: Sequence[AppendedRelation]) -> str:
    """Return rows as first inserted: all rows of the parts with a row id to keep."""
    queries = (
        f"SELECT {_build_row_items('', sides, 'INSERT')} FROM {fresh_rows(part)}" for part in parts
    )
    return f"({' UNION ALL '.join(queries)})"


def rows_after_commit(relation: str, after: int | str | None) -> str:
    """Return the rows written after one commit; all rows if `after` is None.

    `after` is a sequence number, or an SQL expression of a sequence number.

    >>> rows_after_commit("t", 5), rows_after_commit("t", None)
    ('(SELECT * FROM t WHERE `_last_updated_sequence_number` > 5)', 't')
    """
    if after is None:
        return relation
    return f"(SELECT * FROM {relation} WHERE {SEQUENCE} > {after})"


def fresh_rows(part: AppendedRelation) -> str:
    """Return the rows to keep of a part: their row ids and commits are in the part's ranges.

    >>> fresh_rows(AppendedRelation("t", ((5, 2),)))
    '(SELECT * FROM t WHERE (`_row_id` >= 5 AND `_row_id` < 7))'
    """
    conditions = [
        " OR ".join(f"{name} >= {first} AND {name} < {first + count}" for first, count in ranges)
        for name, ranges in (("`_row_id`", part.row_ids), (SEQUENCE, part.commits))
        if ranges is not None
    ]
    where = " AND ".join(f"({condition or 'false'})" for condition in conditions)
    return f"(SELECT * FROM {part.relation} WHERE {where})" if conditions else part.relation


@dataclass(frozen=True, slots=True)
class _Match:
    """How both images of a row are joined.

    Args:
        condition: the join condition over `r` and `a`.
        side: the side of the outer join: LEFT keeps the removed rows, FULL the rows of both sides.
        hint: Spark's join hint.
        key: the key columns for METADATA$ROW_ID, None for `_row_id`.
    """

    condition: str
    side: str = "FULL"
    hint: str = ""
    key: Sequence[Column] | None = None


def _join_images(sides: Sides, removed: str, added: str, match: _Match) -> str:
    """Return the changes of two relations, after joining both images of a row."""
    condition = match.condition
    if sides.parted:
        condition += f" AND r.{sides.carried} = a.{sides.carried}"
    pairs = (
        f"(SELECT *, true AS `icemelt$here` FROM {removed}) r "
        f"{match.side} OUTER JOIN (SELECT *, true AS `icemelt$here` FROM {added}) a "
        f"ON {condition}"
    )
    return _select_changes(sides, pairs, match.hint, match.key)


def _select_changes(
    sides: Sides, pairs: str, hint: str = "", key: Sequence[Column] | None = None
) -> str:
    """Return the changes of rows with images `r` and `a`, each NULL for no image.

    A row with different images gives a DELETE and an INSERT, a row with one image one change, and a
    row with equal images none.
    """
    equal = " AND ".join(
        equality_condition(column.type, f"r.{quote(column.name)}", f"a.{quote(column.name)}")
        for column in sides.columns
    )
    images = []
    for side, action in (("r", "DELETE"), ("a", "INSERT")):
        values = [
            f"{side}.{quote(column.name)} AS {quote(column.name)}" for column in sides.columns
        ]
        row_id = _build_row_id(sides.domains, side, key)
        image = ", ".join(
            [
                f"{side}.`icemelt$here` IS NOT NULL AS `icemelt$shown`",
                *values,
                f"'{action}' AS {_ACTION}",
                f"r.`icemelt$here` IS NOT NULL AND a.`icemelt$here` IS NOT NULL AS {_ISUPDATE}",
                f"{row_id} AS {_ROW_ID}",
                *sides.tail(f"{side}.{sides.carried}"),
            ]
        )
        images.append(f"struct({image})")
    return (
        "(SELECT * EXCEPT (`icemelt$shown`) FROM "
        f"(SELECT {hint}inline(array({', '.join(images)})) FROM {pairs} "
        f"WHERE r.`icemelt$here` IS NULL OR a.`icemelt$here` IS NULL OR NOT ({equal or 'true'})) "
        "WHERE `icemelt$shown`)"
    )


def require_unique_key(relation: str, key: Sequence[Column], within: str = "") -> str:
    """Return rows with a unique declared key; a duplicate key is an error when the query runs.

    Args:
        relation: the rows.
        key: the key columns.
        within: a column; rows with different values in `within` may share a key. Empty for none.
    """
    names = [canonical_key(column) for column in key]
    partition = ", ".join([*names, *([within] if within else [])])
    shown = ", ".join(
        f"{text_literal(f'{column.name} =')}, "
        f"coalesce(CAST({quote(column.name)} AS STRING), 'NULL')"
        for column in key
    )
    message = f"concat('icemelt-duplicate-key:', concat_ws(' ', {shown}))"
    return (
        f"(SELECT * EXCEPT (`icemelt$met`) FROM "
        f"(SELECT *, count(*) OVER (PARTITION BY {partition}) AS `icemelt$met` FROM {relation}) "
        f"WHERE if(`icemelt$met` > 1, raise_error({message}), true))"
    )


def canonical_key(column: Column, side: str = "") -> str:
    """Return a key column in a canonical form, equal for equal values."""
    name = f"{side}{quote(column.name)}"
    if column.type in {Primitive("double"), Primitive("float")}:
        return f"({name} + 0)"  # -0.0 + 0 is 0.0
    return canonical_form(column.type, name)


def _build_row_items(prefix: str, sides: Sides, action: str, key: Sequence[Column] = ()) -> str:
    """Return the SELECT items of a change that is no update: columns, METADATA columns, CARRIED."""
    columns = [f"{prefix}{quote(column.name)}" for column in sides.columns]
    row_id = _build_row_id(sides.domains, "", key or None)
    tail = [f"'{action}' AS {_ACTION}", f"false AS {_ISUPDATE}", f"{row_id} AS {_ROW_ID}"]
    return ", ".join([*columns, *tail, *sides.tail(f"{prefix}{sides.carried}")])


def _build_row_id(
    domains: Sequence[tuple[int, str]], side: str, key: Sequence[Column] | None
) -> str:
    """Return the expression of METADATA$ROW_ID.

    A row of a clone that was there when the clone was made has the id of the source's row:

    >>> _build_row_id(((0, "source"), (7, "clone")), "a", None)[:73]
    "concat(if(a.`_row_id` < 7, '828D338A9B04221C9CBE286F', '5E0072329D5085C5B"

    Args:
        domains: the namespaces of row ids, as in `Sides`.
        side: the relation with the row's image; empty where there is one relation.
        key: the key columns, None for `_row_id`.
    """
    prefix = f"{side}." if side else ""
    if key is None:
        # hashing the row id of every row would cost more than the scan of the rows
        digits = _domain_digits(domains[0][1])
        for first_row_id, domain in domains[1:]:
            digits = f"if({prefix}`_row_id` < {first_row_id}, {digits}, {_domain_digits(domain)})"
        return f"concat({digits}, hex({prefix}`_row_id` | {_FIXED_LENGTH}))"
    return hash_row_id(
        domains[0][1], "'key'", values_as_text([canonical_key(column, prefix) for column in key])
    )


def _domain_digits(domain: str) -> str:
    """Return the first 24 digits of the row ids of a namespace, as an SQL literal."""
    digits = hashlib.sha1(domain.encode(), usedforsecurity=False).hexdigest()
    return f"'{digits[:24].upper()}'"


def hash_row_id(domain: str, *parts: str) -> str:
    """Return a row id hashed from texts."""
    return f"upper(sha1(concat({text_literal(f'{domain}:')}, {', '.join(parts)})))"


def values_as_text(values: Sequence[str]) -> str:
    """Return a text of values, unique to these values, whatever the session's settings."""
    return f"to_json(array({', '.join(map(value_as_text, values))}))"


def value_as_text(value: str) -> str:
    """Return a text of a value, unique to this value, whatever the session's settings."""
    return f"to_json(struct({value} AS v), {EXACT_JSON})"
