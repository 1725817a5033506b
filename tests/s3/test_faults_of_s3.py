"""A pipe on an S3 that throttles, refuses and breaks off: no file is lost, none is loaded twice."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import threading
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

pytestmark = pytest.mark.slow
MODIFIED = "2024-01-01T00:00:00.000Z"
HEADER_TIME = "Mon, 01 Jan 2024 00:00:00 GMT"
# the answer to GET of a file while the store is ill: the status and S3's code
REFUSED = {
    "slow.csv": (503, "SlowDown"),
    "expired.csv": (403, "ExpiredToken"),
    "token.csv": (400, "ExpiredToken"),
    "internal.csv": (500, "InternalError"),
}
TRUNCATED, RESET, DAMAGED, GOOD = "cut.csv", "reset.csv", "damaged.csv.gz", "good.csv"
CONTENTS = dict.fromkeys((*REFUSED, TRUNCATED, RESET, GOOD), b"1,x\n") | {DAMAGED: b"none"}


class IllStore(BaseHTTPRequestHandler):
    """As much of S3 as lists and gives files of one bucket, and what S3 says when it is ill."""

    protocol_version = "HTTP/1.1"
    is_ill: ClassVar[bool] = True

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer(is_body=False)

    def do_GET(self) -> None:
        self._answer(is_body=True)

    def _answer(self, *, is_body: bool) -> None:
        path, _, query = self.path.partition("?")
        name = path.rpartition("/")[2]
        if "list-type=2" in query:
            [prefix] = urllib.parse.parse_qs(query).get("prefix", [""])
            self._send(200, self._listing(prefix).encode(), is_body=is_body)
        elif name not in CONTENTS:
            self._send(404, _error("NoSuchKey"), is_body=is_body)
        elif not self.is_ill or not is_body or name in (GOOD, DAMAGED):
            self._send(200, CONTENTS[name], is_body=is_body)
        elif name in REFUSED:
            status, code = REFUSED[name]
            self._send(status, _error(code), is_body=True)
        else:
            self._break_off(is_reset=name == RESET)

    def _send(self, status: int, body: bytes, *, is_body: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{len(body)}"')
        self.send_header("Last-Modified", HEADER_TIME)
        self.end_headers()
        if is_body:
            self.wfile.write(body)

    def _break_off(self, *, is_reset: bool) -> None:
        self._send(200, b"1,x\n", is_body=False)
        self.close_connection = True
        if is_reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    @staticmethod
    def _listing(prefix: str) -> str:
        found = {
            name: content for name, content in CONTENTS.items() if f"in/{name}".startswith(prefix)
        }
        files = "".join(
            f"<Contents><Key>in/{name}</Key><LastModified>{MODIFIED}</LastModified>"
            f"<ETag>&quot;{len(content)}&quot;</ETag><Size>{len(content)}</Size></Contents>"
            for name, content in sorted(found.items())
        )
        return (
            '<?xml version="1.0"?><ListBucketResult><Name>bucket</Name>'
            f"<Prefix>{prefix}</Prefix><KeyCount>{len(found)}</KeyCount><MaxKeys>1000</MaxKeys>"
            f"<IsTruncated>false</IsTruncated>{files}</ListBucketResult>"
        )


def _error(code: str) -> bytes:
    return f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>no</Message></Error>'.encode()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a store, and a session whose Spark asks the store once and tries no more."""
    IllStore.is_ill = True
    settings = {
        "attempts.maximum": "1",
        "retry.limit": "1",
        "retry.interval": "10ms",
        "retry.throttle.limit": "1",
        "retry.throttle.interval": "10ms",
    }
    more = [f"spark.hadoop.fs.s3a.{name}={value}" for name, value in settings.items()]
    with ThreadingHTTPServer(("127.0.0.1", 0), IllStore) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        command = [sys.executable, "-m", "s3.program", str(tmp_path / "lake"), address, *more]
        with subprocess.Popen(
            command,
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            yield process
            assert process.stdin is not None
            process.stdin.close()
        server.shutdown()


def ask(program: subprocess.Popen[str], statement: str) -> dict[str, Any]:
    """Run a statement; return its rows, or its error."""
    assert program.stdin is not None
    assert program.stdout is not None
    print(json.dumps(statement), file=program.stdin, flush=True)
    return dict(json.loads(program.stdout.readline()))


def test_no_file_is_skipped_for_a_store_that_is_ill(program: subprocess.Popen[str]) -> None:
    assert "rows" in ask(program, "CREATE TABLE t (id INT, v VARCHAR)")
    assert "rows" in ask(program, "CREATE PIPE p AS COPY INTO t FROM 's3a://bucket/in/'")
    told = ask(program, "ALTER PIPE p REFRESH")
    assert told["error"] == "file-refused", told
    history = "SELECT file_name, status, first_error_message FROM TABLE("
    history += "INFORMATION_SCHEMA.COPY_HISTORY('t', '2000-01-01'))"
    known = {row[0].rpartition("/")[2]: row[1:] for row in ask(program, history)["rows"]}
    assert {name: row[0] for name, row in known.items()} == {
        GOOD: "Loaded",
        DAMAGED: "Load failed",
    }, known
    [[status]] = ask(program, "SELECT SYSTEM$PIPE_STATUS('p')")["rows"]
    assert json.loads(status)["pendingFileCount"] == len(CONTENTS) - 2
    IllStore.is_ill = False
    told = ask(program, "ALTER PIPE p REFRESH")
    assert Counter(row[1] for row in told["rows"]) == {"LOADED": len(CONTENTS) - 2}
    [[count]] = ask(program, "SELECT COUNT(*) FROM t")["rows"]
    assert count == len(CONTENTS) - 1
