"""Functions of Snowflake that are refused by name, whatever Spark has of that name.

Those that need a service of Snowflake's will never be there. A family that grows with each release,
as those of geography, is refused by the beginning of its names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from icemelt.errors import Never, NotYet
from icemelt.sql.spark.calls import Call, Entry

__all__ = ["REFUSED", "refuse_family"]

_GEOGRAPHY = "Keep the degrees in two FLOAT columns: HAVERSINE gives the distance."
_MODELS = "Call the model in Python, in a task: session.task(name, function)."
_VECTORS = "Use ARRAY(FLOAT): REDUCE(ZIP_WITH(a, b, (x, y) -> x * y), 0::FLOAT, (s, x) -> s + x)."
_FAMILIES = {"AI_": _MODELS, "H3_": _GEOGRAPHY, "ST_": _GEOGRAPHY, "VECTOR_": _VECTORS}


def refuse_family(name: str) -> None:
    """Refuse a function of a family that icemelt has nothing of.

    Raises:
        Never: the name begins as those of such a family.

    >>> refuse_family("ABS")
    >>> refuse_family("ST_X")
    Traceback (most recent call last):
    icemelt.errors.Never: The function ST_X is not supported.
    Hint: Keep the degrees in two FLOAT columns: HAVERSINE gives the distance.
    """
    for prefix, hint in _FAMILIES.items():
        if name.startswith(prefix):
            raise _error(Never, name, hint)


def _error(kind: type[Never | NotYet], name: str, hint: str) -> Never | NotYet:
    return kind(f"The function {name} is not supported.", hint=hint)


def _refuse(kind: type[Never | NotYet], hint: str) -> Callable[[Call], NoReturn]:
    def build(call: Call) -> NoReturn:
        raise _error(kind, call.name, hint)

    return build


_SCHEDULES = "Make a task, and ask SYSTEM$TASK_RUNTIME_INFO in it."
_PLACES = "Use METADATA$FILENAME, or RELATIVE_PATH FROM DIRECTORY(@stage); DESC STAGE has the URL."
_ROLES = "Use CURRENT_USER or IS_ROLE_IN_SESSION."
_NEVER: Mapping[str, str] = {
    "TO_GEOGRAPHY TRY_TO_GEOGRAPHY TO_GEOMETRY TRY_TO_GEOMETRY": _GEOGRAPHY,
    "EXTRACT_SEMANTIC_CATEGORIES GENERATE_COLUMN_DESCRIPTION": _MODELS,
    "LAST_SUCCESSFUL_SCHEDULED_TIME SCHEDULED_TIME": _SCHEDULES,
    "BUILD_SCOPED_FILE_URL BUILD_STAGE_FILE_URL GET_PRESIGNED_URL GET_STAGE_LOCATION": _PLACES,
    "GET_ABSOLUTE_PATH GET_RELATIVE_PATH": _PLACES,
    "ALL_USER_NAMES CURRENT_ORGANIZATION_USER IS_APPLICATION_ROLE_IN_SESSION": _ROLES,
    "IS_DATABASE_ROLE_IN_SESSION IS_GRANTED_TO_INVOKER_ROLE IS_INSTANCE_ROLE_IN_SESSION": _ROLES,
    "EXPLAIN_JSON": "EXPLAIN prints the plan of a query.",
    "GET_OBJECT_REFERENCES": "Read INFORMATION_SCHEMA.VIEWS, whose VIEW_DEFINITION is the text.",
    "ESTIMATE_REMAINING_DML_CHANGES GET_ANACONDA_PACKAGES_REPODATA": "Leave it out.",
}
_NOT_YET: Mapping[str, str] = {
    "ENCRYPT ENCRYPT_RAW DECRYPT DECRYPT_RAW TRY_DECRYPT TRY_DECRYPT_RAW": (
        "Encrypt the values where they are made, or use Spark's AES_ENCRYPT and AES_DECRYPT."
    ),
    "SEARCH SEARCH_IP": "Use ILIKE, or REGEXP_LIKE.",
    "TO_DECFLOAT TRY_TO_DECFLOAT": "Use NUMBER(38, s), or FLOAT.",
}

REFUSED: Mapping[str, Entry] = {
    name: _refuse(kind, hint)
    for kind, hints in ((Never, _NEVER), (NotYet, _NOT_YET))
    for names, hint in hints.items()
    for name in names.split()
}
