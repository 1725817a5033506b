"""Tasks that run: their conditions, their bodies, and what a body leaves behind."""
