"""The stage write."""
