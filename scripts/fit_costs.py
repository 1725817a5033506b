"""Fit the constants of the model of costs to the cells of `make bench ONLY=choice`.

    python scripts/fit_costs.py benchmarks/results/choice.cells.json

Each cell has, of the derivative and of both ends, what the model counts (bytes, rows worked on and
moved, nodes, jobs) and the seconds that the plan took. The constants are those with which the
logarithms of the seconds are told best, in least squares: of each plan, and four times as heavy of
the ratio of both, by which AUTO chooses. A line tells what it would choose: its regret is its
seconds divided by those of the better plan. The constants go into `icemelt/changes/cost.py`.
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# what the model counts, in the units of EXPLAIN
_COUNTS = ("plan", "MB", "rows", "moved", "nodes", "jobs")
_PLANS = {"derivative": "INCREMENTAL", "both ends": "BOTH_ENDS"}
# where the search begins, and with which step it ends
_FIRST, _FINEST = (0.1, 4e-3, 4e-8, 2e-7, 5e-3, 0.04), 0.002
# a job's price is measured by itself: all plans of one kind have as many
_FITTED = range(len(_FIRST) - 1)
_OF_RATIOS, _SHOWN = 4, 8

Cell = dict[str, Any]


def find_constants(cells: Sequence[Cell]) -> list[float]:
    """Return the seconds for any plan, for a megabyte, a row, a row moved, a node and a job."""
    logarithms, step = [math.log(value) for value in _FIRST], 1.0
    error = _error(cells, logarithms)
    while step > _FINEST:
        before = error
        for number, sign in itertools.product(_FITTED, (1, -1)):
            tried = [*logarithms]
            tried[number] += sign * step
            if (other := _error(cells, tried)) < error:
                logarithms, error = tried, other
        step /= 2 if error == before else 1
    return [math.exp(value) for value in logarithms]


def _error(cells: Sequence[Cell], logarithms: Sequence[float]) -> float:
    """Return how far off the constants are that have some logarithms."""
    constants = [math.exp(value) for value in logarithms]
    error = 0.0
    for cell in cells:
        one, other = (
            math.log(_expect(counts, constants) / seconds) for counts, seconds in _plans(cell)
        )
        error += one**2 + other**2 + _OF_RATIOS * (one - other) ** 2
    return error


def find_regrets(cells: Sequence[Cell], constants: Sequence[float]) -> list[tuple[float, Cell]]:
    """Return the regret of each cell where AUTO goes by the constants, the least first."""
    regrets = []
    for cell in cells:
        plans = [(_expect(counts, constants), seconds) for counts, seconds in _plans(cell)]
        # of equal ones the derivative, which is the first
        chosen = min(plans, key=lambda plan: plan[0])[1]
        regrets.append((chosen / min(seconds for _, seconds in plans), cell))
    return sorted(regrets, key=lambda each: each[0])


def _plans(cell: Cell) -> Iterator[tuple[list[float], float]]:
    for shown, name in _PLANS.items():
        counts = cell["estimates"].get(shown)
        if counts is not None:
            yield [1.0, *(counts[each] for each in _COUNTS[1:])], cell["seconds"][name]


def _expect(counts: Sequence[float], constants: Sequence[float]) -> float:
    return sum(count * constant for count, constant in zip(counts, constants, strict=True))


def main(*places: str) -> None:
    """Print the constants that fit the cells in files, and the cells that they choose worst in."""
    cells = [cell for place in places for cell in json.loads(Path(place).read_text())["rows"]]
    cells = [cell for cell in cells if set(cell["estimates"]) == set(_PLANS)]
    constants = find_constants(cells)
    for name, constant in zip(_COUNTS, constants, strict=True):
        print(f"{name:>6} {constant:.3g} s")
    regrets = find_regrets(cells, constants)
    numbers = [regret for regret, _ in regrets]
    print(
        f"{len(cells)} cells: regret {statistics.median(numbers):.2f} in the median, "
        f"{numbers[int(len(numbers) * 0.95)]:.2f} in the 95th of 100, {numbers[-1]:.2f} at most"
    )
    for regret, cell in reversed(regrets[-_SHOWN:]):
        print(f"{regret:.2f} {cell['view']}, SF{cell['scale']}, {cell['share']} {cell['keys']}")
        for counts, seconds in _plans(cell):
            print(f"    {seconds:.2f} s, expected {_expect(counts, constants):.2f} of {counts}")


if __name__ == "__main__":
    main(*sys.argv[1:])
