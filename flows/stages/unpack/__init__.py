"""The stage unpack."""
