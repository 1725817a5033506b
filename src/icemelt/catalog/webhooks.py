"""Webhooks in the registry: owed since the end of a run, claimed, delivered or given up.

The SQL transaction that ends a run adds the webhook: there is no end without its webhook, and no
webhook without an end. A sender claims a webhook for a while, by moving the time of the next try
to the end of the claim. A sender that dies leaves the webhook to the next one, which sends it under
the same id: at least once, and once where nobody dies.

| time | event                            | next try | tries | ended |
|------|----------------------------------|----------|-------|-------|
| 0    | the run fails                    | 0        | 0     |       |
| 0    | sender A claims it, and is killed| 60       | 1     |       |
| 60   | sender B claims it               | 120      | 2     |       |
| 61   | the webhook answers B with 500   | 81       | 2     |       |
| 81   | B claims it, and it is delivered | none     | 3     | 81    |
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from icemelt.catalog.model import lake, webhooks
from icemelt.catalog.task_run_rows import find_place
from icemelt.catalog.task_states import time_of
from icemelt.tasks.notifications import Notification, Sender, compose_message

__all__ = [
    "OwedWebhook",
    "add_webhooks",
    "claim_webhooks",
    "earliest_webhook",
    "end_webhook",
    "forget_webhooks",
    "postpone_webhook",
]

# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_ADD = webhooks.insert()
_NOW = sa.bindparam("now", type_=sa.BigInteger)
_THIS = webhooks.c.webhook_id == sa.bindparam("of_webhook")
_EARLIEST = sa.select(sa.func.min(webhooks.c.next_at)).where(webhooks.c.next_at.is_not(None))
_DUE = (
    sa.select(*(webhooks.c[name] for name in ("webhook_id", "task", "message_type", "url", "body")))
    .add_columns(webhooks.c.created_at, webhooks.c.tries)
    .where(webhooks.c.next_at <= _NOW)
    .order_by(webhooks.c.next_at, webhooks.c.webhook_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
# who has claimed the webhook, or has ended it, has changed the number of tries, or the time
_CLAIM = (
    webhooks.update()
    .where(_THIS, webhooks.c.tries == sa.bindparam("tries_before"), webhooks.c.next_at <= _NOW)
    .values(next_at=sa.bindparam("claimed_until", type_=sa.BigInteger), tries=webhooks.c.tries + 1)
)
_POSTPONE = (
    webhooks.update()
    .where(
        _THIS,
        webhooks.c.tries == sa.bindparam("of_tries"),
        webhooks.c.ended_at.is_(None),
    )
    .values(
        next_at=sa.bindparam("new_next", type_=sa.BigInteger), last_error=sa.bindparam("new_error")
    )
)
_END = (
    webhooks.update()
    .where(_THIS)
    .values(next_at=None, ended_at=_NOW, last_error=sa.bindparam("new_error"))
)


@dataclass(frozen=True, slots=True)
class OwedWebhook:
    """A webhook that a sender has claimed.

    Args:
        webhook_id: the id, the same in each try.
        task: the full name of the task.
        message_type: what is told, in Snowflake's words.
        url: where it goes.
        body: the JSON text.
        age: how long it has been owed.
        tries: how often it was claimed, this time included.
    """

    webhook_id: str
    task: str
    message_type: str
    url: str
    body: str
    age: timedelta
    tries: int


def add_webhooks(
    connection: sa.Connection, root_id: str, notifications: Iterable[Notification], now: int
) -> None:
    """Add the webhooks that tell of the runs of a root, to be sent at once.

    Args:
        connection: a connection in the write transaction that ends the runs.
        root_id: the object id of the root.
        notifications: what is told.
        now: the time, in milliseconds since 1970.
    """
    found = list(notifications)
    if not found:
        return
    place = find_place(connection, root_id)
    row = connection.execute(sa.select(lake.c.catalog_name, lake.c.lake_id)).one()
    sender = Sender(row.catalog_name, row.lake_id, place["database_name"], place["schema_name"])
    rows = []
    for notification in found:
        webhook_id = str(uuid.uuid4())
        rows.append(
            {
                "webhook_id": webhook_id,
                "task": sender.name(notification.task),
                "message_type": notification.message_type.value,
                "url": notification.url,
                "body": compose_message(notification, sender, webhook_id, time_of(now)),
                "created_at": now,
                "next_at": now,
                "tries": 0,
            }
        )
    connection.execute(_ADD, rows)


def earliest_webhook(connection: sa.Connection) -> int | None:
    """Return when the next try of any webhook is due, in milliseconds since 1970; None for never.

    The next try of one that a sender has claimed is the end of the claim.
    """
    found: int | None = connection.scalar(_EARLIEST)
    return found


def claim_webhooks(
    connection: sa.Connection, now: int, most: int, seconds: float
) -> list[OwedWebhook]:
    """Claim the webhooks that are due, the longest due first.

    Args:
        connection: a connection in a write transaction.
        now: the time, in milliseconds since 1970.
        most: how many at most.
        seconds: for how long they are claimed: then others try them.
    """
    until = now + int(seconds * 1000)
    claimed = []
    for row in connection.execute(_DUE, {"now": now, "most": most}).all():
        values = {"of_webhook": row.webhook_id, "tries_before": row.tries, "now": now}
        if connection.execute(_CLAIM, {**values, "claimed_until": until}).rowcount:
            age = timedelta(milliseconds=max(now - row.created_at, 0))
            names = (row.webhook_id, row.task, row.message_type)
            claimed.append(OwedWebhook(*names, row.url, row.body, age, row.tries + 1))
    return claimed


def postpone_webhook(
    connection: sa.Connection, webhook: OwedWebhook, next_at: int, error: str
) -> None:
    """Try a webhook again later, unless another sender has claimed or ended it meanwhile.

    Args:
        connection: a connection in a write transaction.
        webhook: the webhook, as it was claimed.
        next_at: when to try, in milliseconds since 1970.
        error: why this try failed.
    """
    this = {"of_webhook": webhook.webhook_id, "of_tries": webhook.tries}
    connection.execute(_POSTPONE, {**this, "new_next": next_at, "new_error": error})


def end_webhook(
    connection: sa.Connection, webhook: OwedWebhook, now: int, error: str | None
) -> None:
    """Try a webhook no more.

    Args:
        connection: a connection in a write transaction.
        webhook: the webhook.
        now: the time, in milliseconds since 1970.
        error: why it was given up; None where it was delivered.
    """
    values = {"of_webhook": webhook.webhook_id, "now": now, "new_error": error}
    connection.execute(_END, values)


def forget_webhooks(connection: sa.Connection, before: int) -> int:
    """Remove the webhooks that were delivered or given up before a time; return how many."""
    return connection.execute(webhooks.delete().where(webhooks.c.ended_at < before)).rowcount
