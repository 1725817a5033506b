"""Runs the experiments named, or all: `make bench`, `make bench ONLY=changes`."""

from __future__ import annotations

import subprocess
import sys

from benchmarks import (
    changes,
    choice,
    clones,
    commits,
    external_files,
    functions,
    ingest,
    listings,
    long_history,
    memory,
    overhead,
    pipes,
    planning,
    planning_ctes,
    scale,
    shapes,
    streams,
    tasks,
    throughput,
    upkeep,
    views,
)
from benchmarks.report import Experiment, write

EXPERIMENTS: tuple[Experiment, ...] = tuple(
    module.EXPERIMENT
    for module in (
        changes,
        choice,
        planning,
        planning_ctes,
        scale,
        shapes,
        overhead,
        memory,
        streams,
        commits,
        ingest,
        throughput,
        upkeep,
        views,
        external_files,
        listings,
        pipes,
        long_history,
        clones,
        tasks,
        functions,
    )
)


def main(names: list[str]) -> int:
    """Run experiments, each in a process of its own, and return how many missed a target."""
    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    unknown = sorted(set(names) - known.keys())
    if unknown:
        sys.exit(f"No such experiment: {', '.join(unknown)}. There are: {', '.join(known)}.")
    if len(names) == 1:
        return _run(known[names[0]])
    command = [sys.executable, "-m", "benchmarks"]
    return sum(subprocess.run([*command, name], check=False).returncode for name in names or known)


def _run(experiment: Experiment) -> int:
    print(f"{experiment.name} …", flush=True)
    outcome = experiment.run()
    write(experiment, outcome)
    for target in outcome.targets:
        word = "met   " if target.met else "MISSED"
        sign = "≥" if target.at_least else "≤"
        print(f"  {word} {target.says}: {target.found:.3g} (wanted {sign} {target.limit:g})")
    return int(any(not target.met for target in outcome.targets))


sys.exit(main(sys.argv[1:]))
