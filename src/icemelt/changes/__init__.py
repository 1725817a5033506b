"""Changes of a query: relations that give them, made of the query's own."""
