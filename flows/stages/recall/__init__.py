"""The stage recall."""
