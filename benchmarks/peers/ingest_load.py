"""One client of a server: it posts a prepared body again and again, as fast as it may, or less."""

from __future__ import annotations

import http.client
import json
import sys
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

from ingest_rows import arrow_body, json_body, rows

_BUSY = 429


class Client:
    """A connection to a server, under a key."""

    def __init__(self, url: str, key: str) -> None:
        there = urlsplit(url)
        self._connection = http.client.HTTPConnection(there.hostname or "", there.port, timeout=120)
        self._headers = {"Authorization": f"Bearer {key}"}

    def post(self, path: str, body: bytes, kind: str) -> tuple[int, Any]:
        """Post a body; return the status and the answer."""
        headers = self._headers | {"Content-Type": kind}
        self._connection.request("POST", path, body, headers)
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())


def main(  # noqa: PLR0913, PLR0917 - arguments of a program
    url: str, key: str, name: str, kind: str, per_request: int, seconds: float, rate: float
) -> None:
    """Send so many rows a second; write what came of it to standard output."""
    table = rows(per_request)
    body = arrow_body(table) if kind == "arrow" else json_body(table)
    content = {"arrow": "application/vnd.apache.arrow.stream", "json": "application/x-ndjson"}[kind]
    client = Client(url, key)
    place = {"database": "main", "schema": "public", "table": "t", "name": name}
    _, opened = client.post("/v1/channels", json.dumps(place).encode(), "application/json")
    path = f"/v1/channels/{opened['channel_id']}"
    sent = busy = 0
    cpu, began = time.process_time(), time.monotonic()
    while (now := time.monotonic()) - began < seconds:
        time.sleep(max(0.0, began + sent * per_request / rate - now))
        query = {"client_sequencer": opened["client_sequencer"], "number": sent + 1}
        query["end_offset_token"] = str(sent + 1)
        status, answer = client.post(f"{path}/rows?{urlencode(query)}", body, content)
        if status == _BUSY:
            busy += 1
            time.sleep(0.05)
            continue
        if (status, answer["rows"]) != (200, per_request):
            sys.exit(f"The server answered {status}: {answer}")
        sent += 1
    took, used = time.monotonic() - began, time.process_time() - cpu
    handle = urlencode({"client_sequencer": opened["client_sequencer"]})
    client.post(f"{path}/close?{handle}", b"", "application/json")
    figures = {"rows": sent * per_request, "seconds": took, "cpu": used, "busy": busy}
    figures["bytes"] = sent * len(body)
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]), *map(float, sys.argv[6:]))
