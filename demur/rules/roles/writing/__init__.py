"""The rules writer: phrases per proposition, composed in a fixed order."""
