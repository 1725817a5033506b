"""Errors as answers: a status, a stable code, a sentence and what to do next."""

from __future__ import annotations

import json
import logging
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
    NameRefused,
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
from icemelt.session.runtime.hiding import hide_in

__all__ = [
    "BadText",
    "Busy",
    "Failure",
    "Gone",
    "HostRefused",
    "OriginRefused",
    "RowProblem",
    "TasksStuck",
    "answer",
    "answer_failures",
    "failure",
    "no_key",
]

_HTTP = {
    408: ("http", "Send it again, faster."),
    413: (TooLarge.code, "Send what it has in several."),
    429: (IngestBusy.code, "Send it again a little later."),
}
_LOGGER = logging.getLogger("icemelt.server")
_QUIET = QuietLog(_LOGGER)
# for those that pass; Spark takes longer
_AGAIN_SECONDS, _AWAY_SECONDS = 1, 5
_PASSING = frozenset({429, 503})


class Busy(IcemeltError):
    """The server has as much to do as it may; it is worth a try again after `again_seconds`."""

    code = "busy"
    again_seconds: int = _AGAIN_SECONDS


class Gone(IcemeltError):
    """What was asked for is not kept any more, or not by this server."""

    code = "gone"


class HostRefused(IcemeltError):
    """Nobody needs a key, and the request is for another host than the server."""

    code = "host-refused"


class OriginRefused(IcemeltError):
    """Nobody needs a key, and the request comes from a page of another server."""

    code = "origin-refused"


class BadText(IcemeltError):
    """A request's address is no text: its bytes are not UTF-8."""

    code = "bad-text"


class TasksStuck(IcemeltError):
    """Spark has tasks of statements that have ended, and cannot be ended themselves."""

    code = "tasks-stuck"


class RowProblem(BaseModel):
    """Why a row was not taken; `column` null is the row as a whole."""

    row: int
    column: str | None
    reason: str


class Failure(BaseModel):
    """An error: a stable code, a sentence, what to do next, and of bad rows why they are."""

    code: str
    message: str
    hint: str
    errors: list[RowProblem] = []


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
    (IngestError, 409),
    (CatalogError, 503),
    (TransactionError, 503),
    (SparkDied, 503),
)


def answer_failures(app: FastAPI) -> None:
    """Have an application answer every error as JSON, and tell nobody outside of a bug."""

    @app.exception_handler(IcemeltError)
    async def of_icemelt(request: Request, error: IcemeltError) -> JSONResponse:
        hide_in(error, [request.app.state.served.database.warehouse])
        return answer(error)

    @app.exception_handler(RequestValidationError)
    async def of_request(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return _body(422, "request", f"{place}: {first['msg']}.", "See /openapi.json.")

    @app.exception_handler(HTTPException)
    async def of_http(_request: Request, error: HTTPException) -> JSONResponse:
        code, hint = _HTTP.get(error.status_code, ("http", "See /openapi.json."))
        made = _body(error.status_code, code, f"{error.detail}.", hint)
        made.headers.update(error.headers or {})
        return made

    @app.exception_handler(ClientDisconnect)
    async def of_nobody(_request: Request, _error: ClientDisconnect) -> JSONResponse:
        return _body(400, "http", "The request was not sent to its end.", "Send it again.")

    @app.exception_handler(Exception)
    async def of_bug(request: Request, error: Exception) -> JSONResponse:
        _LOGGER.error("%s %s failed", request.method, request.url.path, exc_info=error)
        message = "An internal error; the server's log has it."
        return _body(500, "internal", message, "Tell who runs the server.")


def answer(error: IcemeltError) -> JSONResponse:
    """Return the answer that an error is."""
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 400)
    made = _Answer(failure(error), status)
    if status in _PASSING:
        is_spark = isinstance(error, ServerAway | SparkDied)
        seconds = error.again_seconds if isinstance(error, Busy) else _AGAIN_SECONDS
        made.headers["Retry-After"] = str(_AWAY_SECONDS if is_spark else seconds)
    if isinstance(error, Unauthorized):
        made.headers["WWW-Authenticate"] = "Bearer"
    return made


def no_key() -> Unauthorized:
    """Return the error of a request without a key in force."""
    return Unauthorized(
        "The request has no key that is in force.",
        hint="Send it as Authorization: Bearer ice_…; icemelt keys create makes one.",
    )


def failure(error: IcemeltError) -> dict[str, Any]:
    """Return what a client is told of an error, and of each bad row.

    Why the catalog is away is for who runs the server: the log has the database's place.
    """
    if isinstance(error, CatalogUnavailable):
        _QUIET.note("The catalog is away", error.message)
        error = CatalogUnavailable(
            "The catalog's database is away.",
            hint="Send it again a little later; the server's log has the reason.",
        )
    told: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    if isinstance(error, RowsRefused):
        found = ((each.row, each.column, each.reason) for each in error.errors)
        told["errors"] = [{"row": r, "column": c, "reason": reason} for r, c, reason in found]
    return told


def _body(status: int, code: str, message: str, hint: str) -> JSONResponse:
    return _Answer({"code": code, "message": message, "hint": hint}, status)


class _Answer(JSONResponse):
    """JSON whose texts may quote halves of characters, as a request has sent them."""

    def render(self, content: Any) -> bytes:
        """Return the text, with a half of a character as the escape that it came as."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")
