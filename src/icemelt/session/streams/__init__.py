"""Streams that are read."""
