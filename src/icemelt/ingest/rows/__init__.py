"""What a client may give as rows: mappings, data frames, Arrow, JSON lines."""
