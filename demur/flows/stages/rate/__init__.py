"""The stage rate."""
