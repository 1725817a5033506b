"""Send the webhooks that tell of the ends of runs: beside the runs, and never in their way.

The registry has what is owed (`icemelt.catalog.webhooks`); one thread of each scheduler claims what
is due, and sends a few webhooks at once. Each request is bounded in time as a whole, whatever the
other end does; its answer is not read beyond the status. Redirects are not followed, and neither
proxies nor passwords are taken from the environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import ssl
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from icemelt.catalog.database import Database
from icemelt.catalog.webhooks import (
    OwedWebhook,
    claim_webhooks,
    earliest_webhook,
    end_webhook,
    postpone_webhook,
)
from icemelt.errors import IcemeltError
from icemelt.jobs import Job
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import WebhookEnded
from icemelt.tasks.signatures import SECRET_VARIABLE, parse_secrets, sign
from icemelt.version import version

__all__ = ["WebhookOptions", "WebhookSender"]

_LOGGER = logging.getLogger("icemelt.tasks")
_NAME = "icemelt-webhooks"
_GONE = 410
_LONGEST_ERROR = 200
# how long a request may take once the sender is to end, and how long it may take in all to end
_LAST_SECONDS, _STOP_SECONDS = 2.0, 10.0


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """How webhooks are sent.

    Attributes:
        secrets: the secrets that sign them, as in `whsec_…`, separated by spaces; None for no
            signature.
        timeout_seconds: how long one request may take, from the name's look-up to the status.
        first_pause: the seconds after the first failed try; each later pause is twice as long.
        longest_pause: the longest pause, in seconds.
        give_up_seconds: how long after the end of the run a failed try is the last one.
        claim_seconds: how long a webhook is left to the scheduler that sends it; longer than one
            request.
        look_seconds: how often to look for webhooks that other schedulers have left.
        at_once: how many are sent at once.
    """

    secrets: str | None = field(default_factory=lambda: os.environ.get(SECRET_VARIABLE), repr=False)
    timeout_seconds: float = 10.0
    first_pause: float = 5.0
    longest_pause: float = 3600.0
    give_up_seconds: float = 86_400.0
    claim_seconds: float = 60.0
    look_seconds: float = 5.0
    at_once: int = 16

    def pause(self, tries: int) -> float:
        """Return the seconds to wait after a number of failed tries.

        >>> options = WebhookOptions(secrets=None)
        >>> [options.pause(tries) for tries in (1, 2, 3, 11, 2000)]
        [5.0, 10.0, 20.0, 3600.0, 3600.0]
        """
        return min(self.first_pause * 2.0 ** min(tries - 1, 32), self.longest_pause)


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a try failed, and whether each further one will."""

    problem: str
    is_final: bool = False


class WebhookSender:
    """Sends what is owed, in a thread of its own."""

    def __init__(self, database: Database, options: WebhookOptions) -> None:
        """Prepare a sender.

        Args:
            database: the catalog's database.
            options: how webhooks are sent.

        Raises:
            ParameterError: a secret is no secret.
        """
        self._database, self._options = database, options
        self._keys = parse_secrets(options.secrets)
        self._certificates: ssl.SSLContext | None = None
        self._is_hurried = False
        self._loop: asyncio.AbstractEventLoop | None = None
        # of the requests under way; for the thread of the loop alone
        self._timeouts: set[asyncio.Timeout] = set()
        self._job = Job(
            _NAME,
            self._turn,
            every=options.look_seconds,
            consequence="webhooks wait until the next look",
            at_end=self._turn,
        )

    def start(self) -> None:
        """Start the thread.

        Raises:
            NoThreads: the machine gives the process no more threads.
        """
        self._job.start()

    def wake(self) -> None:
        """Look at once: a run may have ended."""
        self._job.wake()

    def stop(self) -> bool:
        """Send what is due a last time, wait for no answer for long, and end.

        Returns:
            whether the thread has ended.
        """
        self._is_hurried = True
        loop = self._loop
        if loop is not None:
            # closed: nothing is under way
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._hurry)
        return self._job.stop(_STOP_SECONDS)

    def _hurry(self) -> None:
        """Have the requests under way end soon."""
        soon = asyncio.get_running_loop().time() + _LAST_SECONDS
        for timeout in self._timeouts:
            until = timeout.when()
            if until is not None and until > soon and not timeout.expired():
                timeout.reschedule(soon)

    def _turn(self) -> float:
        """Send what is due; return the seconds until the next turn."""
        with self._database.read() as connection:
            earliest, now = earliest_webhook(connection), self._database.clock(connection)
        if earliest is None or earliest > now:
            wait = self._options.look_seconds
            return wait if earliest is None else min(wait, (earliest - now) / 1000)
        most, seconds = self._options.at_once, self._options.claim_seconds
        with self._database.write_unordered() as connection:
            now = self._database.clock(connection)
            claimed = claim_webhooks(connection, now, most, seconds)
        if claimed:
            asyncio.run(self._send_all(claimed))
        return 0

    async def _send_all(self, claimed: Iterable[OwedWebhook]) -> None:
        self._loop = asyncio.get_running_loop()
        if self._certificates is None:
            # the machine's own, so that a company's are among them
            self._certificates = ssl.create_default_context()
        seconds = self._options.timeout_seconds
        client = httpx.AsyncClient(
            verify=self._certificates, trust_env=False, follow_redirects=False, timeout=seconds
        )
        async with client:
            await asyncio.gather(*(self._send(client, webhook) for webhook in claimed))

    async def _send(self, client: httpx.AsyncClient, webhook: OwedWebhook) -> None:
        """Send a webhook, and note the outcome in the registry."""
        failure = await self._post(client, webhook)
        # in another thread: a database that waits must not use up the time of other requests
        await asyncio.to_thread(self._note, webhook, failure)

    async def _post(self, client: httpx.AsyncClient, webhook: OwedWebhook) -> _Failure | None:
        """Try once; return None for a delivery."""
        body, timestamp = webhook.body.encode(), int(time.time())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"icemelt/{version()}",
            "webhook-id": webhook.webhook_id,
            "webhook-timestamp": str(timestamp),
        }
        if self._keys:
            signature = sign(self._keys, webhook.webhook_id, timestamp, body)
            headers["webhook-signature"] = signature
        try:
            async with (
                self._bounded(),
                client.stream("POST", webhook.url, content=body, headers=headers) as response,
            ):
                if response.is_success:
                    return None
                status = response.status_code
                return _Failure(f"status {status}", is_final=status == _GONE)
        except (TimeoutError, httpx.TimeoutException):
            return _Failure("no answer in time")
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            return _Failure(f"{type(error).__name__}: {error}"[:_LONGEST_ERROR])

    @contextlib.asynccontextmanager
    async def _bounded(self) -> AsyncIterator[None]:
        """End the block by a TimeoutError after the time of a request, and sooner at the end."""
        seconds = self._options.timeout_seconds
        if self._is_hurried:
            seconds = min(seconds, _LAST_SECONDS)
        async with asyncio.timeout(seconds) as timeout:
            self._timeouts.add(timeout)
            try:
                yield
            finally:
                self._timeouts.discard(timeout)

    def _note(self, webhook: OwedWebhook, failure: _Failure | None) -> None:
        """Note in the registry what became of a try; the end of the claim brings what was not."""
        with tolerate(IcemeltError, to="note what became of a webhook"):
            if failure is None or failure.is_final or self._is_too_late(webhook):
                self._end(webhook, None if failure is None else failure.problem)
            else:
                self._postpone(webhook, failure.problem)

    def _is_too_late(self, webhook: OwedWebhook) -> bool:
        next_age = webhook.age.total_seconds() + self._options.pause(webhook.tries)
        return next_age > self._options.give_up_seconds

    def _end(self, webhook: OwedWebhook, problem: str | None) -> None:
        with self._database.write_unordered() as connection:
            end_webhook(connection, webhook, self._database.clock(connection), problem)
        host = _host_of(webhook)
        emit(WebhookEnded(webhook.task, webhook.message_type, host, webhook.tries, problem))

    def _postpone(self, webhook: OwedWebhook, problem: str) -> None:
        pause = self._options.pause(webhook.tries)
        with self._database.write_unordered() as connection:
            next_at = self._database.clock(connection) + int(pause * 1000)
            postpone_webhook(connection, webhook, next_at, problem)
        told = (webhook.webhook_id, webhook.task, _host_of(webhook), problem, webhook.tries, pause)
        _LOGGER.info("Webhook %s of task %s to %s failed: %s, try %s; next in %g s.", *told)


def _host_of(webhook: OwedWebhook) -> str:
    """Return the machine of a webhook: the rest of its URL may be a secret."""
    return urlsplit(webhook.url).hostname or ""
