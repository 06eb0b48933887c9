"""The stage screen."""
