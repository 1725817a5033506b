"""The rows of all channels of a table, committed together."""
