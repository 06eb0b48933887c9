"""Recordings in a round: models with recorded replies, and the recorded draws of levers and items."""
