"""A folder for the temporary files of reads: complement vectors and pinned metadata."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

from icemelt.tables.iceberg import local_path

__all__ = ["ScratchFolder", "open_scratch"]


@dataclass(frozen=True, slots=True)
class ScratchFolder:
    """A folder that goes with its session; `location` is local or of a shared file system."""

    location: str
    owned: bool

    def new_file(self, suffix: str) -> str:
        """Return a fresh location.

        >>> scratch = open_scratch()
        >>> scratch.new_file(".puffin").endswith(".puffin")
        True
        >>> scratch.close()
        """
        return f"{self.location}/{uuid.uuid4()}{suffix}"

    def close(self) -> None:
        """Remove the folder, where it is one of this machine."""
        path = local_path(self.location)
        if self.owned and path is not None:
            shutil.rmtree(path, ignore_errors=True)


def open_scratch(location: str | None = None) -> ScratchFolder:
    """Open a scratch folder: a fresh one in the machine's temporary folder, or inside a given one.

    Executors on other machines need one that they can read.
    """
    if location is None:
        return ScratchFolder(tempfile.mkdtemp(prefix="icemelt-"), owned=True)
    folder = f"{location.rstrip('/')}/{uuid.uuid4()}"
    path = local_path(folder)
    if path is not None:
        Path(path).mkdir(parents=True)
    return ScratchFolder(folder, owned=True)
