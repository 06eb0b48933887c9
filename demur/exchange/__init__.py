"""Releases out to other tools, and responses of other tools in.

Exports for Inspect, lm-evaluation-harness and the Hub belong to `exporting`, readers of response files and logs to
`responses`. Freezing a release belongs to `warehouse`, an evaluation that asks models to `flows`.
"""
