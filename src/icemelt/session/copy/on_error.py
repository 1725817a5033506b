"""ON_ERROR of COPY INTO: what becomes of a file with refused rows."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from icemelt.session.files.format_values import option_error
from icemelt.values import is_whole_number

__all__ = ["OnErrorKind", "OnErrorOption", "read_on_error"]

_SKIP_FILE = re.compile(r"^SKIP_FILE(?:_(\d+)(%?))?$")


class OnErrorKind(enum.Enum):
    """The three ways to treat a file with refused rows."""

    ABORT = "ABORT_STATEMENT"
    CONTINUE = "CONTINUE"
    SKIP_FILE = "SKIP_FILE"


@dataclass(frozen=True, slots=True)
class OnErrorOption:
    """The value of ON_ERROR.

    A file is skipped from `limit` refused rows on; with `percent`, above `limit` per cent.
    """

    kind: OnErrorKind
    limit: int = 1
    percent: bool = False

    def skips(self, errors: int, parsed: int) -> bool:
        """Tell whether a file is skipped.

        Args:
            errors: how many of the file's rows are refused.
            parsed: how many rows the file has.

        >>> OnErrorOption(OnErrorKind.SKIP_FILE, 10, percent=True).skips(1, 10)
        False
        """
        if self.kind is not OnErrorKind.SKIP_FILE or not errors:
            return False
        return errors * 100 > self.limit * parsed if self.percent else errors >= self.limit

    def error_limit(self, parsed: int) -> int:
        """Return how many refused rows a file with `parsed` rows may have, as the result shows."""
        if self.kind is OnErrorKind.CONTINUE:
            return parsed
        return self.limit * parsed // 100 if self.percent else self.limit


def read_on_error(written: str) -> OnErrorOption:
    """Return the value of ON_ERROR.

    Raises:
        DefinitionRefused: it is none of the values.

    >>> read_on_error("SKIP_FILE_10%").limit
    10
    """
    word = written.upper()
    if word == "CONTINUE":
        return OnErrorOption(OnErrorKind.CONTINUE)
    if word == "ABORT_STATEMENT":
        return OnErrorOption(OnErrorKind.ABORT)
    skip = _SKIP_FILE.match(word)
    if skip is None or not is_whole_number(skip.group(1) or "1"):
        expected = "ABORT_STATEMENT, CONTINUE, SKIP_FILE, SKIP_FILE_3 or 'SKIP_FILE_10%'"
        raise option_error("ON_ERROR", written, expected)
    return OnErrorOption(
        OnErrorKind.SKIP_FILE, int(skip.group(1) or 1), percent=bool(skip.group(2))
    )
