"""Rounds that begin with a file: graded completions and judged responses."""
