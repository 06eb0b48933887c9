"""Planning of a round: its requests by model, their possible cost, and the size for a tolerance."""
