"""Spark SQL that no parser reads: change relations, weights, equality, conversions."""
