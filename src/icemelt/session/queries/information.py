"""The relations of INFORMATION_SCHEMA in a query."""

from __future__ import annotations

from icemelt.catalog.records import InformationRecord
from icemelt.engine.resources import StatementResources
from icemelt.errors import WrongObjectKind
from icemelt.quoting import quote
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.information_columns import columns_of_relation
from icemelt.session.runtime.local_frames import make_local_frame
from icemelt.sql.statements import TableReference

__all__ = ["information_relation"]


def information_relation(
    core: Core,
    record: InformationRecord,
    reference: TableReference,
    resources: StatementResources,
) -> str:
    """Return the relation of the objects that a query reads as rows.

    Args:
        core: the session's parts.
        record: the relation of INFORMATION_SCHEMA, with the objects.
        reference: the place in the query.
        resources: gain the relation's view.

    Raises:
        WrongObjectKind: the query asks for the relation at a point, or for changes of it.
    """
    if reference.point is not None or reference.changes is not None:
        raise WrongObjectKind(
            f"{str(record.name)!r} is a {record.kind}: it has no earlier states and no changes.",
            hint=f"SELECT * FROM {record.name} tells of the objects that there are.",
        )
    columns = columns_of_relation(record.name.name)
    frame = make_local_frame(core.spark, columns, core.information(core, record))
    return quote(resources.create_view(frame))
