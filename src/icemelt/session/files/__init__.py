"""Files as rows: find the files of a place, read their format's options, and read their values."""
