"""Spark SQL from parsed queries: a generator over sqlglot's trees, and a table of functions."""
