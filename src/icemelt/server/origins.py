"""The host names of a server without keys.

A page on the internet can have its own name resolve to 127.0.0.1 after loading (DNS rebinding). The
page's requests then reach this server, under a `Host` other than the server's. Posts from pages of
other servers reach this server under an `Origin` other than the server's.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from icemelt.server.failures import HostRefused, OriginRefused

__all__ = ["LOOPBACK", "Hosts"]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class Hosts:
    """The host names for which requests are allowed, with any port.

    >>> Hosts(LOOPBACK).require_own(Headers({"host": "localhost:8787"}))
    >>> Hosts(LOOPBACK).require_own(Headers({"host": "a.example"}))
    Traceback (most recent call last):
        ...
    icemelt.server.failures.HostRefused: The request is for host 'a.example', none of this server's.
    Hint: Ask for http://127.0.0.1, or name the host: icemelt serve --no-keys --allowed-host NAME
    """

    names: frozenset[str]

    def require_own(self, headers: Headers) -> None:
        """Raise an error unless a request is for this server, and from no page of another server.

        Raises:
            HostRefused: the `Host` is missing, given twice, or not one of the names.
            OriginRefused: the `Origin` is neither the host asked for nor one of the names.
        """
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        host = hosts[0] if len(hosts) == 1 else ""
        if _name_of(host) not in self.names:
            raise HostRefused(
                f"The request is for host {host!r}, none of this server's.",
                hint="Ask for http://127.0.0.1, or name the host: "
                "icemelt serve --no-keys --allowed-host NAME",
            )
        for origin in origins:
            if not self._is_own(origin, host):
                raise OriginRefused(
                    f"The request comes from a page of {origin!r}, which is another server's.",
                    hint="Let a page ask its own server, or name the host of the page: "
                    "icemelt serve --no-keys --allowed-host NAME",
                )

    def _is_own(self, origin: str, host: str) -> bool:
        """Tell whether a page is of this server: other ports of this machine are other servers."""
        authority = origin.partition("://")[2]
        if authority.lower() == host.lower():
            return True
        name = _name_of(authority)
        return name in self.names and name not in LOOPBACK


def _name_of(place: str) -> str:
    """Return the name in `name`, `name:port` or `[address]:port`; empty for any other text.

    >>> _name_of("LocalHost:80"), _name_of("[::1]:8787"), _name_of("a@localhost")
    ('localhost', '::1', '')
    """
    try:
        parts = urlsplit(f"//{place}")
        # `port` raises an error for a malformed port
        is_plain = parts.port is None or parts.port >= 0
    except ValueError:
        return ""
    is_plain = is_plain and parts.netloc == place and "@" not in place
    return (parts.hostname or "") if is_plain else ""
