"""Folders that Spark has written: listed and moved, on this machine without a process for each.

Hadoop asks the system for the permissions of each local file that it lists with its blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from icemelt.errors import FileRefused
from icemelt.storage.hadoop import HadoopFiles
from icemelt.storage.local import LocalFiles
from icemelt.storage.locations import local_path
from icemelt.storage.store import StoredFile

__all__ = ["list_written", "move_folder", "remove_empty_folder"]

_ATTEMPTS = 10


def list_written(store: HadoopFiles, folder: str) -> Iterator[StoredFile]:
    """Yield the files in a folder and in all folders below, none of a missing folder.

    Raises:
        FileRefused: a folder of this machine cannot be read.
    """
    if local_path(folder) is None:
        yield from store.list_files(folder)
        return
    try:
        yield from LocalFiles().list_files(folder)
    except OSError as error:
        raise FileRefused(
            f"The written files cannot be listed: {error.strerror}",
            hint="Check the rights of the location's folders.",
        ) from error


def move_folder(store: HadoopFiles, folder: str, target: str) -> bool:
    """Move a folder to a path where nothing is; tell whether the folder has been moved.

    Missing folders on the way are made.
    """
    source_path, target_path = local_path(folder), local_path(target)
    if source_path is None or target_path is None:
        return store.move_folder(folder, target)
    for _ in range(_ATTEMPTS):
        try:
            Path(target_path).parent.mkdir(parents=True, exist_ok=True)
            Path(source_path).rename(target_path)
        except FileNotFoundError:
            # a rollback elsewhere has removed the folder on the way, which was empty
            continue
        except OSError:
            return False
        return True
    return False


def remove_empty_folder(store: HadoopFiles, folder: str) -> bool:
    """Remove a folder in which nothing is; tell whether there is no such folder any more."""
    path = local_path(folder)
    if path is None:
        return store.remove_empty_folder(folder)
    try:
        Path(path).rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
