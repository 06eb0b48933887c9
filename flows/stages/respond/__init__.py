"""The stage respond."""
