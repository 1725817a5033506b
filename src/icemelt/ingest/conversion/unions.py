"""Arrays of values of several types: Arrow unions, converted type by type."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import to_plain_array
from icemelt.ingest.conversion.converted_array import (
    ConvertedArray,
    mark_nested_texts,
    reject_all,
    row_numbers,
)
from icemelt.ingest.conversion.value_types import TextStandIn

__all__ = ["UnionMember", "reject_values", "split_union", "union_of"]

# An Arrow union has at most 128 types; one type is for NULL.
_MOST_MEMBERS = 100


@dataclass(frozen=True, slots=True)
class UnionMember:
    """Values of one type, and their ascending positions among all values."""

    name: str
    values: Any
    places: Sequence[int]


def union_of(members: Sequence[UnionMember], count: int) -> Any:
    """Return `count` values as a dense union; a position without a value is NULL.

    >>> numbers, texts = pa.array([1, 2]), pa.array(["a"])
    >>> union_of(
    ...     [UnionMember("int", numbers, [0, 3]), UnionMember("text", texts, [1])], 4
    ... ).to_pylist()
    [1, 'a', None, 2]
    """
    if len(members) > _MOST_MEMBERS:
        starts = range(0, len(members), _MOST_MEMBERS)
        return union_of([_merge_members(members[at : at + _MOST_MEMBERS]) for at in starts], count)
    codes, offsets = [len(members)] * count, [0] * count
    for code, member in enumerate(members):
        for offset, position in enumerate(member.places):
            codes[position], offsets[position] = code, offset
    return pa.UnionArray.from_dense(
        pa.array(codes, pa.int8()),
        pa.array(offsets, pa.int32()),
        [*(member.values for member in members), pa.nulls(1)],
        [*(member.name for member in members), "null"],
    )


def split_union(array: Any, take: Callable[[str, Any], ConvertedArray]) -> ConvertedArray:
    """Convert the values of every type of a union separately, and merge the results in order.

    `take` converts the values of one type, given the type's name and the values.

    >>> union = pa.UnionArray.from_sparse(
    ...     pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array([True, False])]
    ... )
    >>> split_union(
    ...     union, lambda _, values: ConvertedArray(values.cast(pa.string()))
    ... ).values.to_pylist()
    ['1', 'false']
    """
    # of a slice, `type_codes` and `offsets` are still the whole array's
    array = array.take(row_numbers(len(array))) if array.offset else array
    is_dense = array.type.mode == "dense"
    values, all_positions, errors = [], [], []
    for index, code in enumerate(array.type.type_codes):
        positions = pc.indices_nonzero(pc.equal(array.type_codes, pa.scalar(code, pa.int8())))
        if not len(positions):
            continue
        offsets = array.offsets.take(positions) if is_dense else positions
        converted = take(
            array.type.field(index).name, to_plain_array(array.field(index)).take(offsets)
        )
        values.append(converted.values)
        all_positions.append(positions)
        errors += [error.at_places(positions) for error in converted.errors]
    if not values:
        return take("", pa.nulls(0))
    order = pc.sort_indices(pa.concat_arrays(all_positions))
    return ConvertedArray(pa.concat_arrays(values).take(order), tuple(errors))


def reject_values(array: Any, expected: str) -> ConvertedArray:
    """Refuse every value of an array of any type that is not NULL.

    >>> reject_values(pa.array(["a", None]).dictionary_encode(), "None is").errors[0].expected
    'None is'
    """
    plain = to_plain_array(array)
    if pa.types.is_union(plain.type):
        return split_union(plain, functools.partial(_reject_member, expected=expected))
    return reject_all(plain, pa.null(), expected)


def _reject_member(name: str, values: Any, *, expected: str) -> ConvertedArray:
    converted = reject_values(values, expected)
    is_nested = name == TextStandIn.NESTED.value and pa.types.is_string(values.type)
    return mark_nested_texts(converted, values) if is_nested else converted


def _merge_members(members: Sequence[UnionMember]) -> UnionMember:
    positions = sorted(itertools.chain.from_iterable(member.places for member in members))
    index_by_position = {position: index for index, position in enumerate(positions)}
    local_members = [
        UnionMember(
            member.name, member.values, [index_by_position[position] for position in member.places]
        )
        for member in members
    ]
    return UnionMember("several", union_of(local_members, len(positions)), positions)
