"""Before a round: what it will ask of whom, what that can cost, and how large it must be."""
