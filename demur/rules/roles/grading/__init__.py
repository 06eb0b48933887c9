"""The patterns by which the rules lane grades propositions."""
