"""The stage judge."""
