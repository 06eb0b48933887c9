"""The stage score."""
