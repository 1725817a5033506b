"""The version of icemelt, for modules that may not import the package's public names."""

from __future__ import annotations

import importlib.metadata

__all__ = ["version"]


def version() -> str:
    """Return icemelt's version.

    >>> version().count(".")
    2
    """
    return importlib.metadata.version("icemelt")
