"""Statements that define objects."""
