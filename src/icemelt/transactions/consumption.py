"""What a publication takes from streams and stages, and whether the rows last longer than it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from icemelt.catalog.edits import Edit, MakeTable, MoveFrontier
from icemelt.names import QualifiedName
from icemelt.transactions.external_effects import ExternalEffect
from icemelt.transactions.pending import TableWrite

__all__ = ["Consumption", "find_consumption"]


@dataclass(frozen=True, slots=True)
class Consumption:
    """Where a publication puts rows that nobody can read from their source again.

    Attributes:
        temporary: the folded names of the temporary tables and stages that are written.
        lasts: whether anything else is written: a table, or files for others.
    """

    temporary: frozenset[QualifiedName]
    lasts: bool


def find_consumption(
    writes: Iterable[TableWrite], edits: Iterable[Edit], effects: Iterable[ExternalEffect]
) -> Consumption | None:
    """Return what a publication consumes; None where it moves no stream and removes no file.

    Args:
        writes: the changes of tables.
        edits: the changes of the registry, the moves of frontiers among them.
        effects: the effects outside of tables.
    """
    all_edits, all_effects = tuple(edits), tuple(effects)
    moves = any(isinstance(edit, MoveFrontier) for edit in all_edits)
    if not moves and not any(effect.takes_files for effect in all_effects):
        return None
    tables = [(write.table.name, write.table.session_id) for write in writes]
    tables += [(edit.name, edit.session_id) for edit in all_edits if isinstance(edit, MakeTable)]
    stages = [effect.temporary_stage for effect in all_effects if not effect.takes_files]
    temporary = [name for name, session_id in tables if session_id is not None]
    temporary += [stage for stage in stages if stage is not None]
    lasts = None in stages or any(session_id is None for _, session_id in tables)
    return Consumption(frozenset(name.folded for name in temporary), lasts)
