"""Compaction, expiry, and files that nothing names."""
