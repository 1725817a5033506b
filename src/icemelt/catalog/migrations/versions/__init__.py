"""Alembic's migrations of the registry, oldest first."""
