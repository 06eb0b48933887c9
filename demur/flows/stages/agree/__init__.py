"""The stage agree."""
