"""What an experiment gives, and its table, figures and plot in `results/`."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import icemelt
from icemelt.engine.start.jars import ICEBERG

__all__ = ["RESULTS", "Experiment", "Outcome", "Target", "machine", "write"]

RESULTS = Path(__file__).parent / "results"
_BYTES_OF_A_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Target:
    """A ratio or time we mean to reach."""

    says: str
    found: float
    limit: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it was reached."""
        return self.found >= self.limit if self.at_least else self.found <= self.limit


@dataclass(frozen=True, slots=True)
class Outcome:
    """An experiment's rows, each a mapping with the same keys, and the targets they meet."""

    rows: Sequence[Mapping[str, Any]]
    targets: Sequence[Target] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A question, how it is measured, and how the answer is drawn."""

    name: str
    asks: str
    run: Callable[[], Outcome]
    draw: Callable[[Outcome, Axes], None]


def machine() -> dict[str, str]:
    """Return what the figures were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _BYTES_OF_A_GIB
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "pyspark": importlib.metadata.version("pyspark"),
        "iceberg": ICEBERG.version,
        "icemelt": icemelt.version(),
    }


def write(experiment: Experiment, outcome: Outcome) -> None:
    """Write an outcome as Markdown, JSON and a plot."""
    RESULTS.mkdir(exist_ok=True)
    place = RESULTS / experiment.name
    about = {**machine(), **outcome.versions}
    figures = {
        "machine": about,
        "rows": list(outcome.rows),
        "targets": [
            {"says": t.says, "found": t.found, "limit": t.limit, "met": t.met}
            for t in outcome.targets
        ],
    }
    place.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")
    place.with_suffix(".md").write_text(_markdown(experiment, outcome, about))
    mpl.use("Agg")
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    experiment.draw(outcome, axes)
    figure.savefig(place.with_suffix(".png"), dpi=110)
    plt.close(figure)


def _markdown(experiment: Experiment, outcome: Outcome, about: Mapping[str, str]) -> str:
    parts = [f"# {experiment.name}", experiment.asks, _table(outcome.rows)]
    if outcome.targets:
        rows = [
            {
                "target": t.says,
                "wanted": f"{'≥' if t.at_least else '≤'} {t.limit:g}",
                "found": f"{t.found:.3g}",
                "": "met" if t.met else "**missed**",
            }
            for t in outcome.targets
        ]
        parts.append(_table(rows))
    parts.append(f"![{experiment.name}]({experiment.name}.png)")
    said = ", ".join(f"{key} {value}" for key, value in about.items())
    parts.append(f"Measured on: {said}. Again: `make bench ONLY={experiment.name}`.")
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    head = list(rows[0])
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_shown(row[key]) for key in head) + " |" for row in rows]
    return "\n".join(lines)


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"
