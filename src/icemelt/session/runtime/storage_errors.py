r"""Tell an error of a storage from an error of a file's content, by what Java says.

Of a file with a damaged content nothing is ever read, so such an error is believed last: whatever
comes from a network, a store's client or the operating system is the storage's.

    java.net.UnknownHostException: bucket.s3.amazonaws.com       the storage
    java.io.FileNotFoundException: /in/a (Too many open files)   the storage
    java.io.FileNotFoundException: File /in/a does not exist     a missing file
    java.util.zip.ZipException: incorrect data check             the content

Sources: Hadoop's S3AUtils.translateException and its page *Troubleshooting S3A*; the exceptions of
the AWS SDK, which Iceberg's S3FileIO passes on as they are; errno(3).
"""

from __future__ import annotations

import re
import string
from urllib.parse import unquote

from icemelt.errors import FileDamaged, FileRefused, IcemeltError, LoadFailed
from icemelt.storage.locations import plain_form
from icemelt.tables.java_causes import NO_SPACE

__all__ = ["find_file_error", "tells_of_file"]

_RIGHTS = re.compile(
    r"Permission denied|Read-only file system|Operation not permitted|Mkdirs failed to create"
    r"|AccessDenied|Access Denied|Access denied|AccessControlException|InvalidAccessKeyId"
    r"|SignatureDoesNotMatch|ExpiredToken|token (?:included in the request|provided) is expired"
    r"|token has expired|NotAuthorizedException|ForbiddenException|NoAuthWithAWSException"
    r"|NoAwsCredentialsException|CredentialInitializationException|Unable to load credentials"
    r"|Status ?Code: 40[13]\b"
)
# what the operating system says; Java gives it as a FileNotFoundException or a plain IOException
_SYSTEM = re.compile(
    r"Input/output error|Stale (?:NFS )?file handle|Too many open files|Cannot allocate memory"
    r"|Transport endpoint is (?:not connected|already connected)|Remote I/O error|No such device"
    r"|Structure needs cleaning|Resource temporarily unavailable|Device or resource busy"
    r"|Host is down|No route to host|Network is (?:down|unreachable)|Broken pipe"
    r"|Connection (?:reset|refused|timed out|closed|aborted)|(?:Operation|Read) timed out"
    r"|Premature end of Content-Length|Interrupted system call|Required key not available"
)
_MISSING = re.compile(
    r"NotFoundException|FileNotFoundException|NoSuchFileException|NoSuchKey|File does not exist"
    r"|No such file or directory"
)
# exceptions of networks and of the clients of stores, whatever they say
_CLIENT = re.compile(
    r"\b(?:java\.net|javax\.net|java\.security|sun\.security|java\.nio\.channels"
    r"|(?:[\w.]+\.)?org\.apache\.http|(?:[\w.]+\.)?software\.amazon|(?:[\w.]+\.)?com\.amazonaws"
    r"|com\.amazon|com\.azure|com\.microsoft|com\.google\.(?:cloud|api|auth)|okhttp3|io\.netty"
    r"|org\.apache\.hadoop\.(?:net|ipc|hdfs|security|fs\.(?:s3a|azure|azurebfs|gs|cosn|aliyun|obs))"
    r")\.[\w.$]*?(?P<kind>\w+(?:Exception|Error|Failure))\b"
    r"|\b(?:org\.apache\.iceberg\.exceptions\.|java\.io\.|java\.util\.concurrent\.)"
    r"(?P<other>Service\w+Exception|InterruptedIOException|TimeoutException)\b"
)
# words of stores that stand in no such exception, as one with a message alone
_WORDS = re.compile(
    r"SocketTimeoutException|SocketException|ConnectException|UnknownHostException|SSLException"
    r"|SSLHandshakeException|ConnectTimeoutException|NoHttpResponseException|SdkClientException"
    r"|ServiceUnavailable|SlowDown|Slow Down|reduce your request rate|RequestTimeout"
    r"|InternalError \(Service|Unable to execute HTTP request|Status ?Code: (?:429|5\d\d)\b"
)
_STATUS = re.compile(r"Status ?Code: (\d{3})\b")
_DAMAGED = re.compile(
    r"is not a Parquet file|Not an Avro data file|FAILED_READ_FILE|AvroRuntimeException"
    r"|org\.apache\.parquet\.format\.|TProtocolException"
    r"|AvroTypeException|Malformed data|Invalid sync|RuntimeIOException|InvalidAvroMagicException"
    r"|Could not read|Failed to open"
)
_NOT_UNPACKED = re.compile(r"EOFException|ZipException|IOException|DataFormatException")
# the address of the file, as Spark writes it without spaces
_FILE_READ = re.compile(r"Encountered error while reading file (\S+)\.(?:\s|$)")
_FILE_ENDING = re.compile(r"\.(?:parquet|avro|puffin|orc|metadata\.json)")
_SCHEME_CHARACTERS = string.ascii_lowercase + string.digits
# Hadoop's classes for a store, or the client that they call, are not among Spark's
_CONNECTOR = re.compile(
    r"Class \S*\.(\w*FileSystem) not found|No FileSystem for scheme \"?(\w+)"
    r"|NoClassDefFoundError: (software/amazon/awssdk|com/azure|com/google/cloud)"
)
_NO_BUCKET = re.compile(r"NoSuchBucket|UnknownStoreException|ContainerNotFound")
_LATER = "Run this again when the storage answers; nothing was changed."


def tells_of_file(text: str) -> bool:
    """Tell whether an error's text is about a file that was not read, and not about a statement."""
    return any(words.search(text) for words in (_MISSING, _DAMAGED))


def find_file_error(text: str, reading: str | None = None) -> IcemeltError | None:
    """Return the error for what Java says of a file: the storage's, or the file's.

    Args:
        text: the texts of the exception and of its causes.
        reading: the path of the one file whose bytes are read, None where others are, too. Bytes
            that cannot be unpacked are a damaged file then.

    Returns:
        LoadFailed without a store's connector or bucket; FileRefused where the storage does not
        give or take the file now; FileDamaged for a missing file, or one whose content is at
        fault; None for a text about no file.
    """
    path = _path(text) or reading
    for space in NO_SPACE:
        if space in text:
            hint = "Free disk space, then run this again; nothing was changed."
            return _refused(path, space, hint)
    unset = _find_setting_error(text, path)
    if unset is not None:
        return unset
    rights = _RIGHTS.search(text)
    if rights is not None:
        reason = "Permission denied" if rights.group().startswith("Mkdirs") else rights.group()
        hint = "Give this user the right to, or write elsewhere; nothing was changed."
        return _refused(path, reason, hint)
    system = _SYSTEM.search(text)
    if system is not None:
        return _refused(path, system.group(), _LATER)
    client = _CLIENT.search(text)
    if client is not None and _MISSING.search(text) is None:
        kind, status = client["kind"] or client["other"], _STATUS.search(text)
        reason = kind if status is None else f"{kind}, status {status.group(1)}"
        return _refused(path, reason, _LATER)
    words = _WORDS.search(text)
    if words is not None:
        return _refused(path, words.group(), _LATER)
    if not tells_of_file(text) and (reading is None or _NOT_UNPACKED.search(text) is None):
        return None
    name = "of the table" if path is None else repr(path)
    return FileDamaged(
        f"File {name} is missing or damaged.",
        hint="Restore it from a backup, or ask for a point at which it was not used.",
    )


def _find_setting_error(text: str, path: str | None) -> LoadFailed | None:
    """Return the error for a store without its connector or its bucket: no file is at fault."""
    connector = _CONNECTOR.search(text)
    if connector is not None:
        missing = next(filter(None, connector.groups()))
        return LoadFailed(
            f"Spark has no connector for the store of these files: {missing} is missing.",
            hint="Start Spark with one: icemelt.connect(packages=[…]), as docs/production.md says.",
        )
    if _NO_BUCKET.search(text) is None:
        return None
    place = "these files" if path is None else repr(path)
    return LoadFailed(
        f"The bucket of {place} does not exist.",
        hint="Check its name, and the endpoint that Spark asks.",
    )


def _refused(path: str | None, reason: str, hint: str) -> FileRefused:
    name = "of the table" if path is None else repr(path)
    return FileRefused(f"File {name} cannot be written or opened: {reason}.", hint=hint)


def _path(text: str) -> str | None:
    """Return the path of the file that Spark could not read, or of the first table file in a text.

    A table file's path begins with the first slash of a line.

    >>> _path("Encountered error while reading file file:///in/a%20b.csv.  SQLSTATE: KD001")
    '/in/a b.csv'
    """
    read = _FILE_READ.search(text)
    if read is not None:
        return plain_form(unquote(read.group(1)))
    for line in text.split("\n"):
        start = line.find("/")
        end = _FILE_ENDING.search(line, start) if start >= 0 else None
        if end is not None:
            before = line[:start].removesuffix(":")
            scheme = len(before) - len(before.rstrip(_SCHEME_CHARACTERS))
            start = len(before) - scheme if scheme and len(before) < start else start
            return line[start : end.end()]
    return None
