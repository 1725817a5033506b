"""An extension of griffe, which reads docstrings for the site: examples in them become code.

icemelt's docstrings have examples without a heading; griffe looks for them below `Examples:` alone.
"""

from __future__ import annotations

from typing import Any

import griffe


class FencedExamples(griffe.Extension):
    """Puts the examples of every docstring between fences."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object that was read."""
        if obj.docstring is not None:
            obj.docstring.value = fence_examples(obj.docstring.value)


def fence_examples(docstring: str) -> str:
    r"""Return a docstring with each paragraph that begins with `>>>` as a block of code.

    >>> fence_examples("Add.\n\n>>> 1 + 1\n2")
    'Add.\n\n```pycon\n>>> 1 + 1\n2\n```'
    """
    paragraphs = docstring.split("\n\n")
    return "\n\n".join(
        f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else paragraph
        for paragraph in paragraphs
    )
