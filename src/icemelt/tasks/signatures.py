"""Signatures of webhooks, as standardwebhooks.com defines them: who knows the secret can check.

A request has three headers. `webhook-id` stays the same however often the webhook is sent,
`webhook-timestamp` is the time of sending in seconds since 1970, and `webhook-signature` has a
signature for each secret: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64.

>>> secrets = parse_secrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
>>> sign(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence

from icemelt.errors import ParameterError

__all__ = ["SECRET_VARIABLE", "parse_secrets", "sign"]

SECRET_VARIABLE = "ICEMELT_WEBHOOK_SECRET"  # noqa: S105 - the name of the variable
_PREFIX = "whsec_"
# by the specification a secret has 24 to 64 bytes
_LEAST_BYTES, _MOST_BYTES = 24, 64


def parse_secrets(text: str | None) -> tuple[bytes, ...]:
    """Return the keys of the secrets in a text, which are separated by spaces; none of None.

    With two secrets each webhook has two signatures: so a secret is replaced without a gap.

    Raises:
        ParameterError: a secret is not Base64, too short or too long. The message does not have it.
    """
    return tuple(_parse_secret(secret) for secret in (text or "").split())


def sign(keys: Sequence[bytes], webhook_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of the header `webhook-signature`.

    Args:
        keys: the keys of the secrets.
        webhook_id: the value of `webhook-id`.
        timestamp: the value of `webhook-timestamp`.
        body: the body of the request.
    """
    signed = b".".join((webhook_id.encode(), str(timestamp).encode(), body))
    digests = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    return " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)


def _parse_secret(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except ValueError:
        key = b""
    if not _LEAST_BYTES <= len(key) <= _MOST_BYTES:
        raise ParameterError(
            f"{SECRET_VARIABLE} has no secret of {_LEAST_BYTES} to {_MOST_BYTES} bytes in Base64.",
            hint=f'export {SECRET_VARIABLE}="{_PREFIX}$(openssl rand -base64 32)"',
        )
    return key
