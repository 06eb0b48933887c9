"""The stage match."""
