"""Queries: names bound to relations of one moment."""
