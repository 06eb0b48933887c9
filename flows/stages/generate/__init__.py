"""The stage generate."""
