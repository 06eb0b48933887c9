"""The stage reward."""
