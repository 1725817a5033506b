"""A metadata file and its snapshots, as plain data."""
