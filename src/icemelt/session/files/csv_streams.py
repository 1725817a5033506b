"""Read small CSV files as streams, at about twice the speed, where each row is as line by line.

Spark reads a CSV file line by line, and its parser ends at each line as at the end of a file, which
takes longer than the parsing. Files whose values may hold line breaks are read as streams. So can
others be, but a few rows would be others: where a line feed and a carriage return are mixed, or a
line has spaces alone. Such rows are told by their values. A reader that meets one has to read line
by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from icemelt.session.files.csv_starts import FileStart
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.source_files import SourceFile

__all__ = ["can_stream", "unlike_line"]

# Spark divides larger files among tasks, which it cannot do with a stream
_MOST_BYTES = 4 * 1024 * 1024


def can_stream(
    options: ReadOptions, groups: Iterable[tuple[FileStart, Sequence[SourceFile]]]
) -> bool:
    """Tell whether `unlike_line` finds each row that is another one in a stream.

    Args:
        options: the options of the file format.
        groups: the files by how they begin, as `group_by_start` yields them.
    """
    plain_nulls = not any(map(_has_odd, options.null_if))
    return (
        # without it there are values that nobody sees
        options.strict_columns
        # a value in quotes goes over the ends of lines, and one in a header hides all after it
        and options.quote is None
        and options.encoding == "UTF-8"
        and options.ends_at_newlines
        # the ends of a value are lost: a carriage return might be there
        and not options.trim
        # a mark of NULL hides the value
        and plain_nulls
        and not options.parse_header
        and options.skip_header <= 1
        and all(
            # a header is not looked at
            (start.ending != "\r" or not options.skip_header)
            and start.records is not None
            # a stream of nothing has a row
            and all(0 < file.size <= _MOST_BYTES for file in files)
            for start, files in groups
        )
    )


def unlike_line(names: Sequence[str]) -> str:
    """Return the SQL of whether a row of a stream may be another one where lines are read.

    `names` are the row's columns, as identifiers of Spark.

    >>> unlike_line(["c0", "c1"])
    'icemelt_is_odd_csv(c0, true) OR icemelt_is_odd_csv(c1, false) OR coalesce(c0, c1) IS NULL'
    """
    first, *others = names
    odd = [f"icemelt_is_odd_csv({first}, true)"]
    odd += [f"icemelt_is_odd_csv({name}, false)" for name in others]
    # a record of nothing
    return " OR ".join([*odd, f"coalesce({', '.join(names)}) IS NULL"])


def _has_odd(text: str) -> bool:
    return any(char <= " " or char == "\N{REPLACEMENT CHARACTER}" for char in text)
