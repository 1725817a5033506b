"""What Java says of a file becomes the error of a damaged file, or of a storage that is away."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest

from icemelt.errors import FileDamaged, FileRefused, IcemeltError, LoadFailed
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.storage_errors import find_file_error


@pytest.mark.parametrize(
    ("cause", "text", "kind"),
    [
        ("net.SocketTimeoutException", "Read timed out", FileRefused),
        ("net.ConnectException", "Connection refused", FileRefused),
        ("net.UnknownHostException", "bucket.s3.amazonaws.com", FileRefused),
        ("net.NoRouteToHostException", "No route to host", FileRefused),
        ("io.InterruptedIOException", "timeout", FileRefused),
        ("security.cert.CertificateExpiredException", "NotAfter: 2024", FileRefused),
        ("io.FileNotFoundException", "/in/a.parquet (Too many open files)", FileRefused),
        ("io.FileNotFoundException", "/in/a.parquet (Permission denied)", FileRefused),
        ("io.FileNotFoundException", "/in/a.parquet (Stale file handle)", FileRefused),
        ("io.IOException", "Input/output error", FileRefused),
        ("io.IOException", "Transport endpoint is not connected", FileRefused),
        ("io.IOException", "Permission denied", FileRefused),
        ("io.FileNotFoundException", "/in/a.parquet", FileDamaged),
        ("io.EOFException", "Unexpected end of input stream", FileDamaged),
        ("util.zip.ZipException", "incorrect data check", FileDamaged),
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


SDK = "software.amazon.awssdk"
S3 = f"{SDK}.services.s3.model.S3Exception"
# as the exceptions and their causes are written, the deepest first
STORES = [
    (f"{S3}: no (Service: S3, Status Code: 503, Request ID: null)", "S3Exception, status 503"),
    (
        "org.apache.hadoop.fs.s3a.AWSServiceThrottledException: open s3a://b/a: SlowDown",
        "AWSServiceThrottledException",
    ),
    (f"{S3}: Access Denied (Service: S3, Status Code: 403)", "Access Denied"),
    ("org.apache.hadoop.fs.s3a.AWSBadRequestException: s3a://b/a: :ExpiredToken", "ExpiredToken"),
    (
        f"{SDK}.core.exception.SdkClientException: Unable to execute HTTP request: bucket",
        "SdkClientException",
    ),
    (f"{SDK}.core.exception.ApiCallTimeoutException: Client execution", "ApiCallTimeoutException"),
    (
        "org.apache.hadoop.net.ConnectTimeoutException: open s3a://b/a: connect timed out",
        "ConnectTimeoutException",
    ),
    ("org.apache.hadoop.fs.s3a.HttpChannelEOFException: read on s3a://b/a", None),
    ("org.apache.hadoop.fs.s3a.RemoteFileChangedException: open s3a://b/a", None),
    ("org.apache.hadoop.fs.s3a.auth.NoAuthWithAWSException: No AWS Credentials", None),
    ("javax.net.ssl.SSLHandshakeException: PKIX path building failed", "SSLHandshakeException"),
    ("org.apache.http.ConnectionClosedException: Premature end of Content-Length", None),
    ("org.apache.hadoop.hdfs.BlockMissingException: Could not obtain block", None),
    ("org.apache.hadoop.ipc.StandbyException: Operation category READ", "StandbyException"),
    ("org.apache.iceberg.exceptions.ServiceFailureException: Server error", None),
    ("com.azure.storage.blob.models.BlobStorageException: Status code 503", None),
    ("com.google.cloud.storage.StorageException: 503 Service Unavailable", "StorageException"),
    ("java.nio.file.FileSystemException: /in/a: Too many open files", "Too many open files"),
]


@pytest.mark.parametrize(("text", "reason"), STORES)
def test_what_comes_of_a_store_or_its_client_is_no_fault_of_a_file(
    text: str, reason: str | None
) -> None:
    read = "org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] s3a://b/a.parquet. SQLSTATE"
    error = find_file_error(f"{text}\n{read}")
    assert type(error) is FileRefused
    assert error.message.startswith("File 's3a://b/a.parquet' cannot be written or opened: ")
    if reason is not None:
        assert error.message.endswith(f": {reason}.")


@pytest.mark.parametrize(
    "text",
    [
        f"{SDK}.services.s3.model.NoSuchKeyException: s3a://b/a.parquet (Status Code: 404)",
        "java.io.EOFException: Unexpected end of input stream\n[FAILED_READ_FILE.NO_HINT] /a.orc",
        "java.lang.RuntimeException: file:/in/a.parquet is not a Parquet file",
        "org.apache.avro.InvalidAvroMagicException: Not an Avro data file.",
    ],
)
def test_a_missing_file_and_a_damaged_content_are_the_files(text: str) -> None:
    assert type(find_file_error(text)) is FileDamaged


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (
            "Class org.apache.hadoop.fs.s3a.S3AFileSystem not found",
            "S3AFileSystem",
        ),
        ('UnsupportedFileSystemException: No FileSystem for scheme "gs"', "gs"),
        (
            "java.lang.NoClassDefFoundError: software/amazon/awssdk/core/ResponseInputStream",
            "software/amazon/awssdk",
        ),
    ],
)
def test_a_store_without_its_connector_is_told(text: str, missing: str) -> None:
    error = find_file_error(text)
    assert type(error) is LoadFailed
    assert error.message.endswith(f": {missing} is missing.")
    assert "packages" in (error.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        f"{SDK}.services.s3.model.NoSuchBucketException: null (Service: S3, Status Code: 404)",
        "org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://b/in': getFileStatus",
    ],
)
def test_a_missing_bucket_is_the_fault_of_no_file(text: str) -> None:
    error = find_file_error(text)
    assert type(error) is LoadFailed
    assert error.message == "The bucket of these files does not exist."


def test_an_error_of_no_file_is_left_to_others() -> None:
    assert find_file_error("java.lang.IllegalStateException: a bug") is None
