"""A rule for each node: how the changes of its inputs become its own."""
