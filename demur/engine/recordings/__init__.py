"""Recordings in a round: the models that answer from them, and what was drawn when they were made."""
