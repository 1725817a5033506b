"""What the names and types of a parsed statement are."""
