"""The relational algebra of queries, and of the relations that compute their changes."""
