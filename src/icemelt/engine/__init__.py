"""Spark: Java and jars found, the session started, relations made for statements."""
