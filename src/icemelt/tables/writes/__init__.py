"""Appends, rebase, and metadata files that are written."""
