"""Events of a lake: emitted by the other rooms, and turned into logs, metrics and traces here."""
