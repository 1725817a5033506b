"""SHOW and DESCRIBE."""
