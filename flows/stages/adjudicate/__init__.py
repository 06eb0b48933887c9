"""The stage adjudicate."""
