"""Rewards for trainers: a function, and a server."""
