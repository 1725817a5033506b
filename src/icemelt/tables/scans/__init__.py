"""Scans of changes and of states, staged as Iceberg scan tasks."""
