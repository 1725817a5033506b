"""The webhooks of tasks belong to who runs the server: what a guest sees and keeps of them.

A URL may carry a token, and a request has the server's signature. So a guest names no webhook,
takes none away, clones none, and sees no more than the machine:

    ERROR_INTEGRATION as set                       what a guest sees
    https://hooks.example.com:8443/T0/B1?key=abc   https://hooks.example.com/…
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from urllib.parse import urlsplit

from icemelt.catalog.records import SchemaObject
from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import DefinitionRefused
from icemelt.session.runtime.core import Core
from icemelt.tasks.graph import WEBHOOK_OPTIONS

__all__ = [
    "describe_left_out",
    "find_left_out",
    "keep_webhooks",
    "leave_out_webhooks",
    "refuse_webhooks",
    "shorten_webhook",
    "shown_webhook",
]

_HIDDEN = "…"


def shown_webhook(core: Core, url: str) -> str:
    """Return the URL of a webhook as a session may see it: whole, or shortened for a guest.

    Args:
        core: the session's parts.
        url: the URL.
    """
    return shorten_webhook(url) if core.is_guest else url


def shorten_webhook(url: str) -> str:
    """Return the scheme and the host of a URL: all else may be a secret.

    >>> shorten_webhook("https://user:word@hooks.example.com:8443/T0/B1?key=abc#d")
    'https://hooks.example.com/…'
    >>> shorten_webhook("https://[broken")
    '…'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return _HIDDEN
    if not parts.hostname:
        return _HIDDEN
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}/{_HIDDEN}"


def refuse_webhooks(core: Core, options: Collection[str]) -> None:
    """Refuse options of a guest's statement that set a webhook or take one away.

    Args:
        core: the session's parts.
        options: the upper-case names of the options that the statement sets or unsets.

    Raises:
        DefinitionRefused: a guest names a webhook, which the server would call from inside of its
            network, or takes one away, which would keep failures from who runs the server.
    """
    named = [name for name in WEBHOOK_OPTIONS if name in options]
    if core.is_guest and named:
        raise DefinitionRefused(
            f"{named[0]} is set by who runs the server, and by none of its clients: the server "
            "calls it.",
            hint=f"Leave {named[0]} out, or ask who runs the server.",
        )


def keep_webhooks(core: Core, before: SchemaObject | None, wanted: TaskRecord) -> TaskRecord:
    """Return a task as a statement may leave it: a guest's statement changes no webhook.

    Args:
        core: the session's parts.
        before: what is altered or replaced, None for a new task.
        wanted: the task as the statement has it.
    """
    if not core.is_guest:
        return wanted
    kept = _find_webhooks(before) if isinstance(before, TaskRecord) else {}
    return replace(wanted, options={**leave_out_webhooks(core, wanted).options, **kept})


def leave_out_webhooks(core: Core, task: TaskRecord) -> TaskRecord:
    """Return a task as its clone has it: without webhooks where a guest clones it.

    Args:
        core: the session's parts.
        task: the task.
    """
    if not core.is_guest:
        return task
    options = {name: value for name, value in task.options.items() if name not in WEBHOOK_OPTIONS}
    return replace(task, options=options)


def find_left_out(core: Core, task: TaskRecord) -> tuple[str, ...]:
    """Return the upper-case names of the options that `leave_out_webhooks` leaves out."""
    return tuple(_find_webhooks(task)) if core.is_guest else ()


def describe_left_out(core: Core, task: TaskRecord) -> str | None:
    """Return the sentence about the webhooks that the clone of a task lacks, None without any.

    Args:
        core: the session's parts.
        task: the task that is cloned.
    """
    names = " and ".join(find_left_out(core, task))
    if not names:
        return None
    return f"The clone of task {str(task.name)!r} is without {names}: who runs the server sets it."


def _find_webhooks(task: TaskRecord) -> dict[str, str]:
    """Return the URLs of a task's webhooks by the options' upper-case names."""
    return {name: task.options[name] for name in WEBHOOK_OPTIONS if name in task.options}
