"""The stage verify."""
