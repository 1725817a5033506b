"""Errors as answers: a status, a stable code, a sentence and what to do next."""

from __future__ import annotations

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

__all__ = [
    "Busy",
    "Failure",
    "Gone",
    "RowProblem",
    "answer",
    "answer_failures",
    "failure",
]

_HTTP = {
    408: ("http", "Send it again, faster."),
    413: (TooLarge.code, "Send what it has in several."),
    429: (IngestBusy.code, "Send it again a little later."),
}
_LOGGER = logging.getLogger("icemelt.server")
_BUSY_SECONDS, _AWAY_SECONDS = "1", "5"


class Busy(IcemeltError):
    """The server has as much to do as it may."""

    code = "busy"


class Gone(IcemeltError):
    """What was asked for is not kept any more, or not by this server."""

    code = "gone"


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
    (IngestError, 409),
    (CatalogError, 503),
    (TransactionError, 503),
    (SparkDied, 503),
)


def answer_failures(app: FastAPI) -> None:
    """Have an application answer every error as JSON, and tell nobody outside of a bug."""

    @app.exception_handler(IcemeltError)
    async def of_icemelt(_request: Request, error: IcemeltError) -> JSONResponse:
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
    made = JSONResponse(failure(error), status)
    if isinstance(error, IngestBusy | Busy):
        made.headers["Retry-After"] = _BUSY_SECONDS
    if isinstance(error, ServerAway | SparkDied):
        made.headers["Retry-After"] = _AWAY_SECONDS
    if isinstance(error, Unauthorized):
        made.headers["WWW-Authenticate"] = "Bearer"
    return made


def failure(error: IcemeltError) -> dict[str, Any]:
    """Return what a client is told of an error, and of each bad row."""
    told: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    if isinstance(error, RowsRefused):
        found = ((each.row, each.column, each.reason) for each in error.errors)
        told["errors"] = [{"row": r, "column": c, "reason": reason} for r, c, reason in found]
    return told


def _body(status: int, code: str, message: str, hint: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message, "hint": hint}, status)
