"""A sender of webhooks in a process of its own, to be killed: `webhook_victim.py URL WAREHOUSE`."""

from __future__ import annotations

import sys
import threading

from icemelt.catalog.database import open_database
from icemelt.session.tasks.webhooks import WebhookOptions, WebhookSender


def main(url: str, warehouse: str) -> None:
    database = open_database(url, warehouse)
    options = WebhookOptions(secrets=None, timeout_seconds=1.5, claim_seconds=2, look_seconds=0.1)
    WebhookSender(database, options).start()
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
