"""The rows of a client as Arrow tables: from mappings, data frames, Arrow, JSON lines."""
