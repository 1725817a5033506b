"""Validate offset tokens before an append; `catalog/channels.py` stores the committed tokens."""

from __future__ import annotations

from icemelt.ingest.errors import TokenRefused

__all__ = ["validate_token"]

_MOST = 4_096


def validate_token(token: object) -> None:
    """Raise an error unless a token is None or a text of at most 4,096 characters.

    Raises:
        TokenRefused: the token is of another type, too long, or has characters no catalog stores.

    >>> validate_token(7)
    Traceback (most recent call last):
    ...
    icemelt.ingest.errors.TokenRefused: An offset token is a text, found int...
    """
    if token is None:
        return
    if not isinstance(token, str):
        raise TokenRefused(
            f"An offset token is a text, found {type(token).__name__}.",
            hint="Write it as one: str(token), or json.dumps(token).",
        )
    if len(token) > _MOST:
        raise TokenRefused(
            f"An offset token has at most {_MOST:,} characters, found {len(token):,}.",
            hint="It says where in the source to go on: keep what is longer elsewhere, by a key.",
        )
    if "\0" in token or any("\ud800" <= character <= "\udfff" for character in token):
        raise TokenRefused(
            "An offset token has whole characters and no NUL.",
            hint="Write it in others: token.encode('utf-8', 'surrogatepass').hex()",
        )
