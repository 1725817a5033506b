"""Checks the limits of the style guide that no linter has: lines of modules and of functions.

Run it on folders: `python scripts/check_sizes.py src tests`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MODULE_LINES = 600
TEST_MODULE_LINES = 600
FUNCTION_LINES = 40
NESTING = 3

# a migration is one list of what it makes, and is never edited
_LISTS = "migrations/versions"
_BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def complaints(path: Path, *, is_test: bool) -> Iterator[str]:
    """Yield what is too long or too deep in a module."""
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    limit = TEST_MODULE_LINES if is_test else MODULE_LINES
    if lines > limit:
        yield f"{path}: {lines} lines, at most {limit}"
    for node in ast.walk(ast.parse(text, str(path))):
        if isinstance(node, _FUNCTIONS):
            yield from _function_complaints(node, f"{path}:{node.lineno}: {node.name}")


def _function_complaints(
    function: ast.FunctionDef | ast.AsyncFunctionDef, place: str
) -> Iterator[str]:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        return
    lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
    if lines > FUNCTION_LINES:
        yield f"{place}: a body of {lines} lines, at most {FUNCTION_LINES}"
    depth = max(_depth(statement) for statement in body)
    if depth > NESTING:
        yield f"{place}: nested {depth} deep, at most {NESTING}"


def _depth(node: ast.AST) -> int:
    if isinstance(node, _FUNCTIONS):
        return 0
    below = 0
    for child in ast.iter_child_nodes(node):
        # `elif` is an `if` in the else of an `if`, and reads as one level
        chained = isinstance(node, ast.If) and node.orelse == [child]
        below = max(below, _depth(child) - (chained and isinstance(child, ast.If)))
    return below + isinstance(node, _BLOCKS)


def main(folders: list[str]) -> int:
    """Print every complaint; return 1 if there is one."""
    found = [
        complaint
        for folder in folders
        for path in sorted(Path(folder).rglob("*.py"))
        if not path.parent.match(_LISTS)
        for complaint in complaints(path, is_test=Path(folder).name == "tests")
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
