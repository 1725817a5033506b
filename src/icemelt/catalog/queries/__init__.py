"""Queries of the registry."""
