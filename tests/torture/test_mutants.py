"""What of a mutant of a statement reaches Spark is quoted, and parses to allowed nodes alone."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import pytest
from pyspark.errors import ParseException
from pyspark.sql import SparkSession
from torture.mutants import Text, leaks, mutants, texts_of

from icemelt.engine.plan_outline import Outliner, open_outliner
from icemelt.engine.wall import require_allowed_nodes
from icemelt.errors import IcemeltError

# `make test` takes other ones each day, and says which
SEED = int(os.environ.get("ICEMELT_TORTURE_SEED", time.time() // 86_400))
MUTANTS = int(os.environ.get("ICEMELT_TORTURE_MUTANTS", "1000000"))
SLICE, PART = 1_000, 5_000


def test_a_slice_of_mutants_reaches_spark_in_quotes_alone(spark: SparkSession) -> None:
    read, texts = texts_of_mutants((SEED, SLICE))
    refused = check(open_outliner(spark), texts)
    assert read > SLICE // 40, SEED
    assert len(texts) > 10 * refused, SEED


@pytest.mark.torture
def test_a_million_mutants_reach_spark_in_quotes_alone(
    spark: SparkSession, request: pytest.FixtureRequest
) -> None:
    outliner = open_outliner(spark)
    seen: set[Text] = set()
    read = unparsed = 0
    parts = [(SEED * 1_000_000 + part, PART) for part in range(MUTANTS // PART)]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for parsed, texts in pool.map(texts_of_mutants, parts):
            read += parsed
            unparsed += check(outliner, texts - seen)
            seen |= texts
    told = f"seed {SEED}: {MUTANTS} mutants, {read} read, {len(seen)} texts, {unparsed} no SQL"
    request.config.get_terminal_writer().line(told)
    assert read > MUTANTS // 20


def texts_of_mutants(part: tuple[int, int]) -> tuple[int, set[Text]]:
    """Return how many mutants of a seed are statements, and their texts for Spark."""
    seed, count = part
    read, found = 0, set()
    for number, statement in enumerate(mutants(random.Random(seed), count)):  # noqa: S311
        texts = texts_of(statement, with_columns=number % 2 == 0)
        read += bool(texts)
        for text in texts:
            assert leaks(text.sql) is None, (seed, statement, text.sql)
        found.update(texts)
    return read, found


def check(outliner: Outliner, texts: Iterable[Text]) -> int:
    """Let texts pass the wall; return how many of them Spark does not parse."""
    unparsed = 0
    for text in texts:
        try:
            outline = (
                outliner.outline_query(text.sql)
                if text.is_query
                else outliner.outline_expressions([text.sql])
            )
        except ParseException:
            unparsed += 1
            continue
        # a slot stands for a relation that icemelt gives
        slots = {each for each in outline.relations if each[0].startswith("__icemelt")}
        try:
            require_allowed_nodes(
                replace(outline, relations=outline.relations - slots), for_guest=False
            )
        except IcemeltError as error:
            raise AssertionError((error.message, text)) from error
    return unparsed
