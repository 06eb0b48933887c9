"""The stage deduplicate."""
