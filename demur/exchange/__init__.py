"""Exports of releases to other tools, imports of responses, and rewards for trainers.

Exports for Inspect, lm-evaluation-harness and the Hub belong to `exporting`, readers of response files and logs to
`responses`, the reward server and the function for trainers to `rewarding`. Freezing a release belongs to
`warehouse`, an evaluation that asks models to `flows`.
"""
