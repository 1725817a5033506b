"""Conversion of values to the types of a table's columns, and the reasons for refusing values."""
