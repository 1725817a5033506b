"""Values of rows as the table's columns store them, and why some are refused."""
