"""The stage prove."""
