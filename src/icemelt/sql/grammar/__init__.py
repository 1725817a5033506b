"""The grammar: a function over a `StatementReader` for every kind of statement."""
