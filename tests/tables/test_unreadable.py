"""A file that cannot be read is damaged; a Java that fails says nothing of the file."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from icemelt.errors import FileDamaged, QueryError
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import java_vm
from icemelt.tables.unreadable import find_java_error, reading_file


def end_memory(spark: SparkSession) -> None:
    """Ask Java for an array that is larger than any memory."""
    java = java_vm(spark).java.lang
    java.reflect.Array.newInstance(java.Long.TYPE, 2**31 - 1)


def test_lack_of_memory_is_no_damage(spark: SparkSession) -> None:
    with pytest.raises(Py4JJavaError) as raised, reading_file("A manifest", hint="Restore it."):
        end_memory(spark)
    assert "OutOfMemoryError" in (find_java_error(raised.value.java_exception) or "")
    with (
        pytest.raises(QueryError, match=r"not enough memory[^|]*memory='4g'"),
        translated(spark),
        reading_file("A manifest", hint="Restore it."),
    ):
        end_memory(spark)


def test_an_exception_is_damage(spark: SparkSession) -> None:
    with (
        pytest.raises(FileDamaged, match=r"A manifest is missing or damaged: .*abc[^|]*Restore it"),
        reading_file("A manifest", hint="Restore it."),
    ):
        java_vm(spark).java.lang.Long.parseLong("abc")
