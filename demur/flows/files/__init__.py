"""Rounds that begin with a file: completions that are graded, and responses that are judged."""
