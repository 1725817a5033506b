"""COPY INTO a table, and into a location."""
