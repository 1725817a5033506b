"""What users hold: `connect`, sessions and results."""

from icemelt.session.maintenance import Maintained, Skipped
from icemelt.session.opening import connect
from icemelt.session.runtime.result import Result
from icemelt.session.session import Session

__all__ = ["Maintained", "Result", "Session", "Skipped", "connect"]
