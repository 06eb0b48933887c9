"""Frozen releases in the formats of other tools: Inspect, lm-evaluation-harness, data sets of the Hub."""
