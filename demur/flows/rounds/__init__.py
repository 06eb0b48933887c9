"""Rounds: requests, sessions, configuration files, recordings and batches."""
