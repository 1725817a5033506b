"""Maintenance: compaction, expiry, and files that no metadata names."""
