"""Views that are read: their text, their algebra, and their changes."""
