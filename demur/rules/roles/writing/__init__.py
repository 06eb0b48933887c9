"""How the rules writer composes completions: phrases per proposition, and an order in which they make a reply."""
