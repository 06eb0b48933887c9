"""Responses of other sources: reading, scoring and import of files, and of logs of tools."""
