"""The stages of a round, one module each, and what belongs to one alone; flows/stage.py is what they share."""
