"""The analysis of parsed statements: the meaning of names, and the types of expressions."""
