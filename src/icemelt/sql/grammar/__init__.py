"""The grammar of statements: one function for each, over a `Reader`."""
