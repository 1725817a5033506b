"""What plans for the changes of views really took: it mends what is expected of the next ones.

The model of costs is wrong of one view and one way by much the same factor each time. All factors
of a machine are high or low together, as its cores are slow or fast: their mean is taken out.

| ways of two views          | expected, s | took, s | took ÷ expected | correction |
|----------------------------|-------------|---------|-----------------|------------|
| `sales`, by its derivative | 0.5         | 1.6     | 3.2             | 1.6        |
| `names`, from both ends    | 1.0         | 1.25    | 1.25            | 0.6        |
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

__all__ = ["PlanMemory"]

# the part of the last run in what is remembered, and the most that it corrects
_NEWEST, _MOST = 0.5, 2.0
# a shorter time says more of the machine's other work than of the plan
_SHORTEST = 0.05


@dataclass(slots=True)
class PlanMemory:
    """Remembers how far off the expected seconds were, for each view and way to read its changes.

    Args:
        room: how many pairs of a view and a way are remembered.

    >>> memory = PlanMemory()
    >>> memory.note("sales", "INCREMENTAL", 0.5, 1.6)
    >>> memory.correction("sales", "INCREMENTAL")
    1.0
    >>> memory.note("names", "BOTH_ENDS", 1.0, 1.25)
    >>> round(memory.correction("sales", "INCREMENTAL"), 1)
    1.6
    >>> round(memory.correction("names", "BOTH_ENDS"), 1)
    0.6
    """

    room: int = 1_000
    # logarithms of took ÷ expected, of each pair, the last used at the end
    _ratios: OrderedDict[tuple[str, str], float] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def note(self, view: str, way: str, expected: float, took: float) -> None:
        """Remember a run.

        Args:
            view: the object id of the view.
            way: the way in which its changes were read, a value of VIEW_CHANGES.
            expected: the seconds that the model of costs has expected.
            took: the seconds from the beginning of planning to the last row.
        """
        if expected <= 0 or took < _SHORTEST:
            return
        ratio = math.log(took / expected)
        with self._lock:
            before = self._ratios.pop((view, way), ratio)
            self._ratios[view, way] = before + _NEWEST * (ratio - before)
            while len(self._ratios) > self.room:
                self._ratios.popitem(last=False)

    def correction(self, view: str, way: str) -> float:
        """Return by what to multiply the expected seconds; 1.0 where nothing is known.

        Args:
            view: the object id of the view.
            way: the way in which its changes may be read.
        """
        with self._lock:
            ratio = self._ratios.get((view, way))
            if ratio is None:
                return 1.0
            mean = sum(self._ratios.values()) / len(self._ratios)
        return min(max(math.exp(ratio - mean), 1 / _MOST), _MOST)
