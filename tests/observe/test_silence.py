"""No error of the catalog is left out in silence: it is raised, shown, or told of as an event."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import icemelt
from icemelt import errors

SOURCE = Path(icemelt.__file__).parent
# errors of the catalog, and what catches them with others
CATALOGS = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type)
    and (issubclass(kind, errors.CatalogError) or issubclass(errors.CatalogError, kind))
}


def names_in(node: ast.AST | None) -> set[str]:
    return {
        child.id if isinstance(child, ast.Name) else child.attr
        for child in ast.walk(node or ast.Module([], []))
        if isinstance(child, ast.Name | ast.Attribute)
    }


def suppressions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and "suppress" in names_in(node.func):
            caught = set().union(*map(names_in, node.args))
            yield from ((node.lineno, name) for name in caught & CATALOGS)


def silent_handlers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        nodes = [child for part in node.body for child in ast.walk(part)]
        used = set().union(*map(names_in, node.body))
        # what it yields is shown: a finding of `icemelt doctor`
        is_told = any(isinstance(each, ast.Raise | ast.Yield) for each in nodes)
        if is_told or node.name in used:
            continue
        yield from ((node.lineno, name) for name in names_in(node.type) & CATALOGS)


def found_in(source: str) -> list[tuple[int, str]]:
    tree = ast.parse(source)
    return [*suppressions(tree), *silent_handlers(tree)]


def test_an_error_of_the_catalog_is_never_left_out_in_silence() -> None:
    found = {
        f"{path.relative_to(SOURCE)}:{line}: {name}"
        for path in SOURCE.rglob("*.py")
        for line, name in found_in(path.read_text())
    }
    assert not found


def test_silence_is_seen_where_it_is() -> None:
    assert found_in("with contextlib.suppress(OSError, CatalogUnavailable): f()") == [
        (1, "CatalogUnavailable")
    ]
    assert found_in("try: f()\nexcept (FileDamaged, errors.IcemeltError): pass") == [
        (2, "IcemeltError")
    ]
    assert found_in("try: f()\nexcept CatalogError as error: tell(error)") == []
    assert found_in("with tolerate(CatalogError, to='ask'): f()") == []
