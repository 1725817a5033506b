"""The resource `/v1/statements`: submit SQL, get the status, fetch rows, cancel."""

from __future__ import annotations

import contextlib
import json
import uuid
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AfterValidator, BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from icemelt.catalog.activity_records import KeyRecord
from icemelt.errors import NotYet, ObjectNotFound
from icemelt.ingest.client.segments import ARROW
from icemelt.server.failures import Busy, Failure, Gone, failure, no_key
from icemelt.server.pages import Pages
from icemelt.server.requests import Holder, InThread, Name, State
from icemelt.server.state import ServerState
from icemelt.server.submissions import DONE, Submission, SubmissionRun, is_part_id
from icemelt.server.unread import LargeResponse, Reservation

__all__ = ["routes"]

_LONGEST_WAIT, _LONGEST_RUN = 60.0, 86_400.0
_JSON = "application/json"
# the most values of a page of JSON: a row alone may have more, and is there as Arrow
_MOST_VALUES = 3_000_000


def _require_free(statement_id: uuid.UUID) -> uuid.UUID:
    """Refuse the ids that scripts' statements get, which another key could take in advance."""
    if is_part_id(statement_id):
        raise PydanticCustomError(
            "statement_id",
            "ids of version 8 are the server's, for later statements of scripts; uuid.uuid4() "
            "makes another",
        )
    return statement_id


class SubmissionRequest(BaseModel, extra="forbid"):
    """A request to run SQL: statements separated by semicolons, in a session of their own."""

    statement: str = Field(min_length=1, pattern=r"^[^\x00]*$")
    parameters: list[Any] | dict[str, Any] | None = Field(
        None, description="the values of each `?`, or of each `:name`"
    )
    database: Name | None = Field(None, description="the current database")
    schema_name: Name | None = Field(None, alias="schema", description="the current schema")
    timezone: Name | None = Field(
        None, description="the session's time zone; UTC where none is given"
    )
    statement_id: Annotated[uuid.UUID, AfterValidator(_require_free)] | None = Field(
        None,
        description="what was submitted under an id is not run again under it; any but version 8",
    )
    wait_seconds: float = Field(10, ge=0, le=_LONGEST_WAIT, description="how long to wait for it")
    timeout_seconds: float | None = Field(
        None,
        gt=0,
        le=_LONGEST_RUN,
        description="after how long it is cancelled, where the server does not do so before",
    )

    @model_validator(mode="before")
    @classmethod
    def _keep_one_unknown(cls, document: object) -> object:
        """Keep one of the fields that are not known: an answer names one, and each takes time."""
        if not isinstance(document, dict):
            return document
        known = {field.alias or name for name, field in cls.model_fields.items()}
        unknown = [name for name in document if name not in known]
        if len(unknown) <= 1:
            return document
        return {name: document[name] for name in (*(known & document.keys()), unknown[0])}


class ColumnDocument(BaseModel):
    """A column of a result; the type is named as in DESCRIBE TABLE."""

    name: str
    type: str


class StatementStatus(BaseModel):
    """One statement of a submission."""

    statement_id: str
    status: str
    rowcount: int | None
    notice: str | None


class SubmissionStatus(BaseModel):
    """The status of a submission: waiting, running, succeeded, failed or cancelled.

    `columns`, `rows`, `pages` and `data` are of the last statement, and null before its end and
    without a result. `data` is the first page. `data` is also null if the key has too many unread
    bytes, if the page is too large for JSON, while another large page of the key becomes JSON, and
    if the rows were deleted.
    """

    statement_id: str
    status: str
    statements: list[StatementStatus]
    error: Failure | None
    columns: list[ColumnDocument] | None
    rows: int | None
    pages: int | None
    data: list[list[Any]] | None


routes = APIRouter(prefix="/v1/statements", tags=["statements"])
_Id = Annotated[str, Path(max_length=36)]
_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"model": SubmissionStatus, "description": "It is done."},
    202: {"model": SubmissionStatus, "description": "It is under way: ask again."},
}
_PAGE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rows of a page.",
        "content": {
            "application/json": {"schema": {"type": "array", "items": {"type": "array"}}},
            ARROW: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@routes.post("", summary="Run a statement", responses=_ANSWER)
async def submit(
    wanted: SubmissionRequest, state: State, key: Holder, in_thread: InThread
) -> Response:
    """Run SQL, and wait for the end up to `wait_seconds`."""
    submission = Submission(
        str(wanted.statement_id or uuid.uuid4()),
        wanted.statement,
        wanted.parameters,
        wanted.database,
        wanted.schema_name,
        wanted.timezone,
        wanted.timeout_seconds,
    )
    # before the submission: a refused submission can be sent again under its id
    state.supervisor.require_spark()
    run = await in_thread(state.statements.submit, submission, key)
    return await _answer(state, run, wanted.wait_seconds, in_thread)


@routes.get("/{statement_id}", summary="Tell how far a statement is", responses=_ANSWER)
async def status(
    statement_id: _Id,
    state: State,
    key: Holder,
    in_thread: InThread,
    wait_seconds: Annotated[float, Query(ge=0, le=_LONGEST_WAIT)] = 0,
) -> Response:
    """Wait up to `wait_seconds` for the end of a statement, and return the status."""
    run = await in_thread(_require_submission, state, statement_id, key)
    return await _answer(state, run, wait_seconds, in_thread)


@routes.get("/{statement_id}/pages/{page}", summary="Fetch rows", responses=_PAGE)
async def rows(
    statement_id: _Id,
    page: Annotated[int, Path(ge=0)],
    request: Request,
    state: State,
    key: Holder,
    in_thread: InThread,
) -> Response:
    """Return a page of the rows: arrays of values, or with `Accept` an Arrow stream."""
    is_arrow = ARROW in request.headers.get("accept", "")

    def work() -> Response:
        pages = _require_pages(_require_submission(state, statement_id, key), page)
        if is_arrow:
            reserved = state.unread.require(key.key_id, pages.largest)
            return LargeResponse(pages.arrow(page), 200, ARROW, reserved)
        _require_small(pages, page, state.unread.most_page_bytes)
        reserved = state.unread.require(key.key_id, _json_bytes(pages, page))
        with state.large_pages.making(_json_values(pages, page), key.key_id):
            return LargeResponse(pages.json(page), 200, _JSON, reserved)

    return await in_thread(work)


@routes.post("/{statement_id}/cancel", summary="Cancel a statement", responses=_ANSWER)
async def cancel(statement_id: _Id, state: State, key: Holder, in_thread: InThread) -> Response:
    """Cancel a running statement; earlier commits of the submission stay."""

    def work() -> SubmissionRun:
        run = _require_submission(state, statement_id, key)
        state.statements.cancel(run)
        return run

    return await _answer(state, await in_thread(work), 1.0, in_thread)


@routes.delete("/{statement_id}", summary="Forget a statement and its rows", status_code=204)
async def forget(statement_id: _Id, state: State, key: Holder, in_thread: InThread) -> None:
    """Delete the rows of a statement; a running statement is cancelled."""

    def work() -> None:
        run = _require_submission(state, statement_id, key)
        state.statements.cancel(run)
        state.statements.forget(run)

    await in_thread(work)


def _require_submission(state: ServerState, statement_id: str, key: KeyRecord) -> SubmissionRun:
    run = state.statements.find(statement_id, key)
    if run is None:
        raise ObjectNotFound(
            f"No statement of this key is known under the id {statement_id!r}.",
            hint="Rows are kept for ten minutes after they were asked for; submit it again.",
        )
    return run


async def _answer(
    state: ServerState, run: SubmissionRun, seconds: float, in_thread: InThread
) -> Response:
    await state.waits.wait_until(lambda: run.is_done or run.is_revoked, seconds)
    if run.is_revoked:
        raise no_key()
    # read the status first: an ended submission has all its other fields
    last_status = run.status
    code = 200 if last_status in DONE else 202
    pages, reserved = run.pages, None
    if pages is not None and _is_small(pages, 0, state.unread.most_page_bytes):
        reserved = state.unread.reserve(run.owner.key_id, _json_bytes(pages, 0))
    text = await in_thread(_to_json, state, run, last_status, reserved)
    if reserved is None:
        return Response(text, code, media_type=_JSON)
    return LargeResponse(text, code, _JSON, reserved)


def _to_json(
    state: ServerState, run: SubmissionRun, status: str, reserved: Reservation | None
) -> bytes:
    """Return a submission as JSON; the first page is included if room is reserved.

    Args:
        state: the server's state.
        run: the submission.
        status: the submission's status, read before the pages.
        reserved: the room for the first page, None for no room.
    """
    pages, error = run.pages, run.error
    document = {
        "statement_id": run.submission.statement_id,
        "status": status,
        "statements": [
            {
                "statement_id": part.statement_id,
                "status": part.status,
                "rowcount": part.rowcount,
                "notice": part.notice,
            }
            for part in run.parts
        ],
        "error": None if error is None else failure(error, state.hidden, state.locations),
        "columns": None
        if pages is None
        else [{"name": column.name, "type": column.type} for column in pages.columns],
        "rows": None if pages is None else pages.rows,
        "pages": None if pages is None else pages.count,
    }
    data = b"null"
    if pages is not None and reserved is not None:
        making = state.large_pages.making(_json_values(pages, 0), run.owner.key_id)
        # the rows may be deleted, or their turn may not come; the rest is still an answer
        with contextlib.suppress(Gone, Busy), making:
            data = pages.json(0)
    head = json.dumps(document, ensure_ascii=False)[:-1].encode()
    return b"".join((head, b', "data": ', data, b"}"))


def _json_bytes(pages: Pages, page: int) -> int:
    """Return the memory in bytes for making JSON of a page; 0 for the only page of an empty result.

    >>> _json_bytes(Pages("", (), 0, 0, 0), 0)
    0
    """
    return pages.json_bytes[page] if page < pages.count else 0


def _json_values(pages: Pages, page: int) -> int:
    return pages.json_values[page] if page < pages.count else 0


def _is_small(pages: Pages, page: int, most: int) -> bool:
    """Tell whether JSON of a page needs at most `most` bytes, and has few enough values."""
    return _json_bytes(pages, page) <= most and _json_values(pages, page) <= _MOST_VALUES


def _require_small(pages: Pages, page: int, most: int) -> None:
    """Require that making JSON of a page needs at most `most` bytes, and takes no long time.

    Raises:
        NotYet: the page is larger, as a row with millions of values is.
    """
    if _is_small(pages, page, most):
        return
    size, values = _json_bytes(pages, page), _json_values(pages, page)
    raise NotYet(
        f"The page takes {size >> 20} MiB while it becomes JSON, and has {values:,} values; "
        f"{most >> 20} MiB and {_MOST_VALUES:,} values are as many as may be.",
        hint=f"Ask for it as Arrow: Accept: {ARROW}",
    )


def _require_pages(run: SubmissionRun, page: int) -> Pages:
    """Return the pages of a submission that has a page of a number.

    Raises:
        ObjectNotFound: the result has fewer pages.
        Gone: the submission still runs, or has no rows here.
    """
    pages = run.pages
    if pages is not None:
        if page >= max(1, pages.count):
            raise ObjectNotFound(
                f"The result has {pages.count} pages, counted from 0.", hint="See its status."
            )
        return pages
    if not run.is_done:
        raise Gone("The statement is still under way.", hint="Ask for its status first.")
    raise Gone(
        "There are no rows of the statement here.",
        hint="It failed, or ran before the server was started anew: submit it under another id.",
    )
