"""The stage pretest."""
