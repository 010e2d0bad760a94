"""Measurements: each script prints a table and can be run by hand."""
