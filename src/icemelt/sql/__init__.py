"""The SQL front end: text to plain statements, on sqlglot."""
