"""A host of a lake and a guest of the host, as a server has them for each key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

__all__ = ["HostAndGuest", "open_host_and_guest"]


@dataclass(frozen=True)
class HostAndGuest:
    """A host, a guest of the host, the guest's place, and a folder that the guest may not read."""

    host: Session
    guest: Session
    place: Path
    secret: Path


@contextmanager
def open_host_and_guest(host: Session, folder: Path) -> Iterator[HostAndGuest]:
    """Open a guest whose only place is `folder/place`; in `folder/secret` is a file `s.csv`."""
    place, secret = folder / "place", folder / "secret"
    for made in (place, secret):
        made.mkdir()
    (secret / "s.csv").write_text("1,hidden\n")
    with open_guest(host, "ann", [str(place)]) as guest:
        yield HostAndGuest(host, guest, place, secret)
