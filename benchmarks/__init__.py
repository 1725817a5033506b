"""Measurements of icemelt and its peers; see README.md."""
