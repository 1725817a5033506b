"""The frames of window functions, as `ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["fold_frame", "reverse_rows"]

_OTHER_SIDES = {"PRECEDING": "FOLLOWING", "FOLLOWING": "PRECEDING"}


def fold_frame(spec: exp.Expr) -> None:
    """Write the words of a window's frame in capitals, in place."""
    for part, word in spec.args.items():
        if isinstance(word, str):
            spec.set(part, word.upper())


def reverse_rows(window: exp.Window) -> None:
    """Turn the order of a window's rows and its frame round, in place."""
    order, spec = window.args.get("order"), window.args.get("spec")
    for item in order.expressions if order is not None else ():
        item.set("desc", not item.args.get("desc"))
        item.set("nulls_first", not item.args.get("nulls_first"))
    if spec is None:
        return
    end = spec.args.get("end") or "CURRENT ROW"
    bounds = {"start": spec.args.get("start"), "start_side": spec.args.get("start_side")}
    spec.set("start", end)
    spec.set("start_side", _OTHER_SIDES.get(spec.args.get("end_side")))
    spec.set("end", bounds["start"])
    spec.set("end_side", _OTHER_SIDES.get(bounds["start_side"]))
