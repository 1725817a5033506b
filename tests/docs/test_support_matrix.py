"""What the documents say of each operator and of each refusal is what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_matrix import SAMPLES, completed, main

from icemelt.algebra.nodes import Join, JoinKind, SetKind, SetOperation
from icemelt.changes.differentiation import RULES
from icemelt.changes.rules.join import JOINS

_DOCUMENT = Path(__file__).parents[2] / "docs" / "changes-of-views.md"


def test_the_document_is_up_to_date() -> None:
    assert main([str(_DOCUMENT)]) == 0


def test_what_is_out_of_date_is_told_and_completed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _DOCUMENT.read_text(encoding="utf-8")
    document = tmp_path / "stale.md"
    document.write_text(text.replace("| `sample` |", "| `simple` |"), encoding="utf-8")
    assert main([str(document)]) == 1
    assert "out of date" in capsys.readouterr().out
    assert main(["--complete", str(document)]) == 0
    assert document.read_text(encoding="utf-8") == text == completed(text)


def test_every_operator_is_in_it() -> None:
    shown = {(operator, kind) for operator, kind, _, _ in SAMPLES}
    kinds = {Join: [*JoinKind], SetOperation: [*SetKind]}
    assert shown == {(each, kind) for each in RULES for kind in kinds.get(each, [None])}
    assert set(JOINS) == set(JoinKind)
