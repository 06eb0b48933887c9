"""The stage read."""
