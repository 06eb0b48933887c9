"""Audits: accepted items for people to read, and the marks they gave."""
