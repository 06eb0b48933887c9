"""Generates, verifies, evaluates, grades and freezes refusal benchmarks."""
