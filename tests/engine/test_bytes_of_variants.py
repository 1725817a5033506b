"""Bytes that are no variant's are refused by the length that they tell, before memory is taken."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from icemelt.engine.java_functions import add_java_functions


@pytest.mark.parametrize("told", ["7fffffff00", "ffffffff00", "000000", ""])
def test_a_length_beyond_the_bytes_is_refused(spark: SparkSession, told: str) -> None:
    own = spark.newSession()
    add_java_functions(own)
    with pytest.raises(PySparkException, match="The bytes are no variant"):
        own.sql(f"SELECT icemelt_variant(X'{told}')").collect()
