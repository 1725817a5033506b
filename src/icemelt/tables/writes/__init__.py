"""Writes: appends, rebase, and metadata files."""
