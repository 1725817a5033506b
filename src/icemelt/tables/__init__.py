"""Iceberg tables as versions: metadata, intervals, and which files an interval touched."""
