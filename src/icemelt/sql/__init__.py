"""The SQL front end: turn text into statements as plain data, with the help of sqlglot."""
