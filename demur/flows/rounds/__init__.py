"""Requests and sessions of rounds, configuration files, rounds on files of texts, recordings, batches."""
