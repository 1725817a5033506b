"""Points in time and intervals of tables, what a stream has not read, the statement's clock."""
