"""`icemelt` whose Java is killed at a step of the start: `MODULE FUNCTION`, then the arguments."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from pyspark import SparkContext

from icemelt.cli.main import main


def kill_before(module: Any, name: str) -> None:
    """Have Java killed each time before a function of a module is called."""
    step = getattr(module, name)

    def kill_first(*arguments: Any, **named: Any) -> Any:
        java = SparkContext._gateway.proc  # type: ignore[union-attr]
        java.kill()
        java.wait()
        return step(*arguments, **named)

    setattr(module, name, kill_first)


if __name__ == "__main__":
    kill_before(importlib.import_module(sys.argv[1]), sys.argv[2])
    sys.argv[1:3] = []
    main()
