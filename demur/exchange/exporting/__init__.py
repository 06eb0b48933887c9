"""Frozen releases in the formats of other tools (Inspect, lm-evaluation-harness and others), and their publication."""
