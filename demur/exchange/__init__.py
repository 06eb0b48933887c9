"""Exports of releases to other tools, imports of responses and of others' sets, and rewards for trainers.

Exports for Inspect, lm-evaluation-harness and the Hub belong to `exporting`. Readers of response files and logs belong
to `responses`. The reward server and the function for trainers belong to `rewarding`. Freezing a release belongs to
`warehouse`. Evaluations that ask models belong to `flows`.
"""
