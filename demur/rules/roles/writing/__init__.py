"""The writer of the rules lane. It has phrases for each proposition, and puts them together in a fixed order."""
