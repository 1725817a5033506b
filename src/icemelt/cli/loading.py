"""Load Python's modules while Java starts Spark: each takes as long as the other."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from icemelt.engine.start.configuration import LaunchOptions

__all__ = ["loading_while_java_starts"]


@contextlib.contextmanager
def loading_while_java_starts(options: LaunchOptions) -> Iterator[None]:
    """Begin to start Java with options, and let the block load modules, and open what is kept.

    Nothing is looked through for garbage meanwhile, nor later what is there at the end: nearly all
    of it stays, and each look at it takes 0.2 s.
    """
    gc.disable()
    try:
        # the rest of `engine` loads PySpark
        from icemelt.engine.start.java_process import launch_java_soon  # noqa: PLC0415

        launch_java_soon(options)
        yield
    finally:
        gc.freeze()
        gc.enable()
