"""The outline of a plan: kinds of nodes and names in a text, as parsed by Spark's own parser.

The parsed plan is walked inside the JVM, in one call, through every field of every node: also if a
plan stands in an expression, a WITH or a window.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from icemelt.spark_java import java_class, java_session
from icemelt.tables.lru_cache import WeightedLRUCache

__all__ = ["Outline", "Outliner", "open_outliner"]

Name = tuple[str, ...]
_CLASS = "icemelt.spark.PlanOutline"
_MOST_CHARACTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Outline:
    """The classes of a plan's nodes and expressions, and the names used in the plan.

    `relations` and `functions` are names of several parts. `queries` are the names defined by WITH.
    """

    classes: frozenset[str]
    relations: frozenset[Name]
    functions: frozenset[Name]
    queries: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outliner:
    """Makes outlines of texts for a Spark session; `java` is the walk in Java.

    The expressions by which a table stores values are the same in every INSERT: the outlines of
    the last expressions are kept. The texts of queries have names that are used once.
    """

    java: Any
    parser: Any
    _known: WeightedLRUCache[tuple[str, ...], Outline] = field(
        default_factory=lambda: WeightedLRUCache(_MOST_CHARACTERS), compare=False
    )

    def outline_query(self, text: str) -> Outline:
        """Return the outline of a statement of Spark SQL.

        Raises:
            ParseException: Spark does not parse the text.
        """
        return self._outline([text], are_queries=True)

    def outline_expressions(self, texts: Sequence[str]) -> Outline:
        """Return one outline of several expressions, parsed separately.

        Raises:
            ParseException: Spark does not parse one of the texts.
        """
        key = tuple(texts)
        outline = self._known.get(key)
        if outline is None:
            outline = self._outline(texts, are_queries=False)
            size = sum(map(len, key))
            if size <= _MOST_CHARACTERS:
                self._known.keep(key, outline, size)
        return outline

    def _outline(self, texts: Sequence[str], *, are_queries: bool) -> Outline:
        outline = json.loads(self.java(self.parser, json.dumps(texts), are_queries))
        classes, relations, functions, queries = outline
        return Outline(
            frozenset(classes),
            frozenset(map(tuple, relations)),
            frozenset(map(tuple, functions)),
            frozenset(queries),
        )


def open_outliner(spark: SparkSession) -> Outliner:
    """Return the outliner of a Spark session."""
    java = java_class(spark, _CLASS)
    return Outliner(java.of, java_session(spark).sessionState().sqlParser())
