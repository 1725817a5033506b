"""Spark: find Java and jars, start a session, make relations for statements."""
