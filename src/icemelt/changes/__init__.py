"""Changes of a query, as relations derived from the query."""
