"""Rows of all channels of a table, committed together."""
