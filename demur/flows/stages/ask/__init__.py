"""The stage ask."""
