"""The stage grade."""
