"""docs/observing.md tells of each event and metric; its alerts ask for metrics that are there."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
import yaml

from icemelt.observe import events as e
from icemelt.observe.instruments import INSTRUMENTS, Instrument, Measure
from icemelt.server.event_counters import EventCounters

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "observing.md").read_text(encoding="utf-8")
SERVER = (ROOT / "docs" / "reference" / "server.md").read_text(encoding="utf-8")
KINDS = [
    kind
    for kind in (getattr(e, name) for name in e.__all__)
    if isinstance(kind, type) and kind is not e.Event
]
METRIC = re.compile(r"\bicemelt_\w+")


def row_of(word: str) -> str:
    """Return the row of the document's tables that begins with a word."""
    return next(line for line in DOCUMENT.splitlines() if line.startswith("| `") and word in line)


def series_of(instrument: Instrument) -> str:
    end = "" if instrument.measure is Measure.SPREAD else "_total"
    return f"icemelt_{instrument.name}{end}"


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_is_told_of_with_its_logger_and_level(kind: type[e.Event]) -> None:
    row = row_of(f"| `{kind.__name__}` |")
    assert f"| `icemelt.{kind.room}` |" in row
    usual = "WARNING" if kind is e.CatalogErrorTolerated else logging.getLevelName(kind.consequence)
    assert f"| {usual}" in row


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda each: each.name)
def test_a_metric_is_told_of_with_its_type_event_and_labels(instrument: Instrument) -> None:
    row = row_of(f"`{series_of(instrument)}`")
    assert f"| {instrument.measure.value} |" in row
    assert f"`{instrument.event.__name__}`" in row
    assert all(f"`{label}`" in row for label in instrument.labels)


def test_alerts_are_rules_about_metrics_that_are_there_and_say_what_to_do() -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    rules = yaml.safe_load(text)["groups"][0]["rules"]
    told = set(METRIC.findall(SERVER)) | set(METRIC.findall(DOCUMENT.partition("## Alerts")[0]))
    # the second name of a row leaves out what both begin with
    told |= {f"icemelt_ingest{name}" for name in re.findall(r"`…(_\w+)`", SERVER)}
    for rule in rules:
        assert set(METRIC.findall(rule["expr"])) <= told, rule
        assert f"`{rule['alert']}`" in DOCUMENT.partition("| alert |")[2]


def test_the_document_tells_of_no_metric_that_is_not_there() -> None:
    counted = {metric.name for metric in EventCounters().registry.collect()}
    names = set(
        METRIC.findall(DOCUMENT.partition("### What happened")[2].partition("What waits")[0])
    )
    assert {name.removesuffix("_total") for name in names} == counted
