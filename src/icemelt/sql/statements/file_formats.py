"""File formats: the types of files, and CREATE and ALTER FILE FORMAT."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from icemelt.names import ObjectName
from icemelt.sql.statements.definitions import Existing, RenameTable, UnsetOptions

__all__ = [
    "AlterFileFormat",
    "CreateFileFormat",
    "FileFormat",
    "FileFormatAction",
    "SetFormatOptions",
    "join_texts",
    "split_texts",
]

_NO_TEXTS = "\n"


class FileFormat(enum.Enum):
    """The types of files that are read; COPY INTO writes all but ORC and Avro."""

    CSV = "CSV"
    JSON = "JSON"
    PARQUET = "PARQUET"
    ORC = "ORC"
    AVRO = "AVRO"

    @property
    def title(self) -> str:
        """The name in a sentence: `Parquet`."""
        is_word = self in {FileFormat.PARQUET, FileFormat.AVRO}
        return self.value.capitalize() if is_word else self.value

    @property
    def has_types(self) -> bool:
        """Whether the files say what columns they have, and of what types."""
        return self not in {FileFormat.CSV, FileFormat.JSON}


@dataclass(frozen=True, slots=True)
class CreateFileFormat:
    """`CREATE FILE FORMAT name TYPE = … options`; the options are as in `CopyInto`."""

    name: ObjectName
    file_type: FileFormat
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    existing: Existing = Existing.REFUSED
    temporary: ClassVar[bool] = False
    runs_alone: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class SetFormatOptions:
    """`SET options [COMMENT = '…']`; `file_type` is None where TYPE is not written."""

    options: Mapping[str, str]
    file_type: FileFormat | None = None
    comment: str | None = None


FileFormatAction = RenameTable | SetFormatOptions | UnsetOptions


@dataclass(frozen=True, slots=True)
class AlterFileFormat:
    """`ALTER FILE FORMAT [IF EXISTS] name action`."""

    name: ObjectName
    action: FileFormatAction
    if_exists: bool = False


def join_texts(texts: Sequence[str]) -> str:
    """Return a list of texts without line breaks as the value of an option, each text once.

    Two empty lines stand for a list without a text, as one stands for the list of an empty text.
    """
    return "\n".join(dict.fromkeys(texts)) if texts else _NO_TEXTS


def split_texts(value: str) -> tuple[str, ...]:
    r"""Return the texts of an option's value, as `join_texts` has made it.

    >>> [split_texts(join_texts(texts)) for texts in ([], [""], ["", "a"])]
    [(), ('',), ('', 'a')]
    """
    return () if value == _NO_TEXTS else tuple(value.split("\n"))
