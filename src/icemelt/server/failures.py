"""Errors as answers: an HTTP status, a stable code, a sentence and the next step for the client."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from icemelt.errors import (
    CatalogError,
    CatalogUnavailable,
    IcemeltError,
    InternalError,
    NameRefused,
    NoThreads,
    ObjectExists,
    ObjectNotFound,
    SparkDied,
    TransactionError,
    WrongObjectKind,
)
from icemelt.ingest.errors import (
    ChannelInvalid,
    ChannelOwned,
    IngestBusy,
    IngestError,
    MalformedRows,
    RowsRefused,
    ServerAway,
    TableRefused,
    TooLarge,
    TooManyChannels,
    Unauthorized,
)
from icemelt.server.quiet import QuietLog
from icemelt.session.runtime.hiding import hide_folders

__all__ = [
    "BadText",
    "Busy",
    "Failure",
    "Gone",
    "HostRefused",
    "OriginRefused",
    "ProtocolError",
    "RequestRefused",
    "RowProblem",
    "TasksStuck",
    "answer",
    "answer_failures",
    "failure",
    "internal",
    "no_key",
]

_LOGGER = logging.getLogger("icemelt.server")
_QUIET = QuietLog(_LOGGER)
# seconds until the client asks again: after a passing failure, and while Spark does not answer
_AGAIN_SECONDS, _AWAY_SECONDS = 1, 5
_PASSING = frozenset({429, 503})


class Busy(IcemeltError):
    """The server has as much work as allowed; a new try is worthwhile after `again_seconds`."""

    code = "busy"
    errno = 1900
    sqlstate = "53000"
    retryable = True
    again_seconds: int = _AGAIN_SECONDS


class Gone(IcemeltError):
    """The resource is not kept any more, or not by this server."""

    code = "gone"
    errno = 1901
    sqlstate = "02000"


class HostRefused(IcemeltError):
    """The server needs no key, and the request is for another host than the server."""

    code = "host-refused"
    errno = 1902
    sqlstate = "08004"


class OriginRefused(IcemeltError):
    """The server needs no key, and the request comes from a page of another server."""

    code = "origin-refused"
    errno = 1903
    sqlstate = "08004"


class BadText(IcemeltError):
    """A request's address is not text: the bytes are not UTF-8."""

    code = "bad-text"
    errno = 1904
    sqlstate = "22021"


class TasksStuck(IcemeltError):
    """Spark has tasks of ended statements, and the tasks cannot be ended."""

    code = "tasks-stuck"
    errno = 1905
    sqlstate = "57P03"


class RequestRefused(IcemeltError):
    """A part of a request is missing, or of the wrong type."""

    code = "request"
    errno = 1906
    sqlstate = "22023"


class ProtocolError(IcemeltError):
    """The bytes are no request of this server, or the request did not come to its end."""

    code = "http"
    errno = 1907
    sqlstate = "08P01"


class RowProblem(BaseModel):
    """The reason for refusing a row; `column` null is the row as a whole."""

    row: int
    column: str | None
    reason: str


class Failure(BaseModel):
    """An error: a stable code and number, a sentence, the next step, and reasons for bad rows."""

    code: str
    errno: int
    sqlstate: str
    message: str
    hint: str
    errors: list[RowProblem] = []


# the class and the hint for the status of an `HTTPException`
_HTTP: dict[int, tuple[type[IcemeltError], str]] = {
    408: (ProtocolError, "Send it again, faster."),
    413: (TooLarge, "Send what it has in several."),
    429: (IngestBusy, "Send it again a little later."),
}
# the first class of an error tells the status; 400 for all other errors
_STATUS: tuple[tuple[type[IcemeltError], int], ...] = (
    (Unauthorized, 401),
    (OriginRefused, 403),
    (ChannelOwned, 403),
    (HostRefused, 421),
    (Busy, 429),
    (Gone, 410),
    (ObjectNotFound, 404),
    (ChannelInvalid, 409),
    (IngestBusy, 429),
    (RowsRefused, 422),
    (TableRefused, 422),
    (ObjectExists, 409),
    (WrongObjectKind, 422),
    (NameRefused, 422),
    (MalformedRows, 400),
    (TooManyChannels, 429),
    (ServerAway, 503),
    (TooLarge, 413),
    (TasksStuck, 503),
    (NoThreads, 503),
    (IngestError, 409),
    (CatalogError, 503),
    (TransactionError, 503),
    (SparkDied, 503),
)


def answer_failures(app: FastAPI) -> None:
    """Answer every error of an application as JSON; the text of a bug stays in the server's log."""

    @app.exception_handler(IcemeltError)
    async def answer_icemelt_error(request: Request, error: IcemeltError) -> JSONResponse:
        return answer(error, request.app.state.served.hidden)

    @app.exception_handler(RequestValidationError)
    async def answer_invalid_request(
        _request: Request, error: RequestValidationError
    ) -> JSONResponse:
        first = error.errors()[0]
        location = ".".join(str(part) for part in first["loc"])
        return _body(422, RequestRefused(f"{location}: {first['msg']}.", hint="See /openapi.json."))

    @app.exception_handler(HTTPException)
    async def answer_http_error(_request: Request, error: HTTPException) -> JSONResponse:
        kind, hint = _HTTP.get(error.status_code, (ProtocolError, "See /openapi.json."))
        response = _body(error.status_code, kind(f"{error.detail}.", hint=hint))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(ClientDisconnect)
    async def answer_disconnect(_request: Request, _error: ClientDisconnect) -> JSONResponse:
        error = ProtocolError("The request was not sent to its end.", hint="Send it again.")
        return _body(400, error)

    @app.exception_handler(Exception)
    async def answer_bug(request: Request, error: Exception) -> JSONResponse:
        _LOGGER.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return _body(500, internal())


def answer(error: IcemeltError, hidden: Sequence[str] = ()) -> JSONResponse:
    """Return the HTTP answer for an error, without the names of hidden folders."""
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 400)
    response = _Answer(failure(error, hidden), status)
    if status in _PASSING:
        is_spark = isinstance(error, ServerAway | SparkDied)
        seconds = error.again_seconds if isinstance(error, Busy) else _AGAIN_SECONDS
        response.headers["Retry-After"] = str(_AWAY_SECONDS if is_spark else seconds)
    if isinstance(error, Unauthorized):
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def internal() -> InternalError:
    """Return the error of a fault in icemelt itself; the traceback is in the server's log."""
    return InternalError(
        "An internal error; the server's log has it.", hint="Tell who runs the server."
    )


def no_key() -> Unauthorized:
    """Return the error of a request without a key in force."""
    return Unauthorized(
        "The request has no key that is in force.",
        hint="Send it as Authorization: Bearer ice_…; icemelt keys create makes one.",
    )


def failure(
    error: IcemeltError, hidden: Sequence[str], shown: Sequence[str] = ()
) -> dict[str, Any]:
    """Return an error as JSON data for a client, with a reason for every bad row.

    The reason why the catalog's database does not answer is in the log only: clients must not see
    the location of the database.

    Args:
        error: the error.
        hidden: folders whose names are removed from the texts.
        shown: folders whose names stay, also below a hidden folder.
    """
    if isinstance(error, CatalogUnavailable):
        _QUIET.note("The catalog is away", error.message)
        error = CatalogUnavailable(
            "The catalog's database is away.",
            hint="Send it again a little later; the server's log has the reason.",
        )
    document = error.told()
    if error.names_places:
        document |= {
            part: hide_folders(str(document[part]), hidden, shown) for part in ("message", "hint")
        }
    if isinstance(error, RowsRefused):
        document["errors"] = [
            {"row": row_error.row, "column": row_error.column, "reason": row_error.reason}
            for row_error in error.errors
        ]
    return document


def _body(status: int, error: IcemeltError) -> JSONResponse:
    return _Answer(error.told(), status)


class _Answer(JSONResponse):
    """JSON with texts of the request, which may have one half of a surrogate pair."""

    def render(self, content: Any) -> bytes:
        """Return the JSON text; half of a surrogate pair, which UTF-8 lacks, becomes an escape."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")
