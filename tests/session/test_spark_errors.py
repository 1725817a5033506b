"""What Java says of a file becomes the error of a damaged file, or of a storage that is away."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest

from icemelt.errors import FileDamaged, FileRefused, IcemeltError
from icemelt.session.runtime.spark_errors import translated


@pytest.mark.parametrize(
    ("cause", "text", "kind"),
    [
        ("net.SocketTimeoutException", "Read timed out", FileRefused),
        ("net.ConnectException", "Connection refused", FileRefused),
        ("io.IOException", "Input/output error", FileRefused),
        ("io.IOException", "Permission denied", FileRefused),
        ("io.FileNotFoundException", "/in/a.parquet", FileDamaged),
        ("lang.RuntimeException", "/in/a.parquet is not a Parquet file", FileDamaged),
    ],
)
def test_a_storage_that_does_not_answer_is_no_fault_of_a_file(
    spark: Any, cause: str, text: str, kind: type[IcemeltError]
) -> None:
    java = spark._jvm.java
    reason = attrgetter(cause)(java)(text)
    failed = java.lang.RuntimeException("[FAILED_READ_FILE.NO_HINT] /in/a.parquet", reason)
    with pytest.raises(kind, match=r"/in/a\.parquet") as error, translated(spark):
        java.util.concurrent.CompletableFuture.failedFuture(failed).join()
    assert type(error.value) is kind
