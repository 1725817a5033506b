"""Runs the Python examples of a Markdown file, in order, as one program in an empty folder.

A fenced block marked `python` is run; what it leaves undefined or raises fails the check.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_examples(document: Path) -> int:
    """Run the examples of a document; return how many there were."""
    text = document.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    found = list(_BLOCK.finditer(text))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for match in found:
            # as many empty lines in front as there are above it: errors name the right line
            above = "\n" * text.count("\n", 0, match.start(1))
            exec(compile(above + match[1], str(document), "exec"), names)  # noqa: S102
    return len(found)


def main(documents: list[str]) -> int:
    """Run each document's examples; return 1 if one has none."""
    empty = [name for name in documents if not run_examples(Path(name).resolve())]
    for name in empty:
        print(f"{name}: no example marked python")
    return 1 if empty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
