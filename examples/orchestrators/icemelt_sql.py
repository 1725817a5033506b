"""Run SQL on a server of icemelt, with Python's own library: no Spark and no Java are needed here.

The server is named by two variables of the environment: ICEMELT_URL, and ICEMELT_KEY, which
`icemelt keys create NAME` has shown.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

__all__ = ["StatementFailedError", "attempt_id", "run"]

# what a server answers that is started anew, or has no room: the request was not taken
_AWAY = (429, 503)
_ORCHESTRATED = uuid.UUID("5a8ff7b5-32e1-4fd6-9d0c-3a4a4b6f2a11")


class StatementFailedError(Exception):
    """A statement failed, and nothing of it was kept."""


def attempt_id(run_id: str, attempt: int) -> str:
    """Return the id of the statement that an attempt of an orchestrator's run submits.

    The same attempt has the same id, however often it submits the statement: the server runs it
    once, and tells how it ended.

    Args:
        run_id: the orchestrator's id of the run.
        attempt: the number of the attempt.
    """
    return str(uuid.uuid5(_ORCHESTRATED, f"{run_id} {attempt}"))


def run(statement: str, statement_id: str | None = None, patience: float = 600) -> list[list[Any]]:
    """Run a statement, and return its rows: the first 10,000 at most.

    Where the answer is lost, or the server is away, the statement is submitted again under its id.

    Args:
        statement: the statement, or several with `;` between them.
        statement_id: a UUID; a new one by default.
        patience: how many seconds the statement may take, and the server may be away.

    Raises:
        StatementFailedError: the statement failed or was cancelled.
        TimeoutError: it was not over in time.
    """
    body = {"statement": statement, "statement_id": statement_id or str(uuid.uuid4())}
    ends = time.monotonic() + patience
    while time.monotonic() < ends:
        # asking and submitting again are the same request
        answer = _post("/v1/statements", body | {"wait_seconds": 30})
        if answer is None:
            time.sleep(1)
        elif answer["status"] == "succeeded":
            return answer["data"] or []
        elif answer["status"] in ("failed", "cancelled"):
            error = answer["error"] or {}
            raise StatementFailedError(f"{error.get('message')} {error.get('hint')}")
    raise TimeoutError(f"Statement {body['statement_id']} was not over in {patience} seconds.")


def _post(path: str, body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the answer to a request; None where there is none, and it may be sent again."""
    request = urllib.request.Request(  # noqa: S310 - the URL is the operator's
        os.environ["ICEMELT_URL"].rstrip("/") + path,
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {os.environ['ICEMELT_KEY']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            told: dict[str, Any] = json.load(answer)
            return told
    except urllib.error.HTTPError as error:
        if error.code in _AWAY:
            return None
        raise StatementFailedError(error.read().decode()) from error
    except OSError:
        return None
