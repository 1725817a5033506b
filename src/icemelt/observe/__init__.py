"""What happens in a lake as events: emitted by the other rooms, taken by logs, metrics, traces."""
