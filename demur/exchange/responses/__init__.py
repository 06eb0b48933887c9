"""Responses of other sources: reading, scoring and import of files."""
