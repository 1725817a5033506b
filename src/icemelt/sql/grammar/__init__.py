"""The grammar of statements: a function for every kind of statement, over a `Reader`."""
