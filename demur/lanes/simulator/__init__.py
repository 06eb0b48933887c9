"""A simulated provider on this machine. It has batches and the wire formats of OpenAI and Anthropic.

The simulator answers by rule, with faults on demand. It takes a provider's place in rehearsals, tests and measurements.
Requests go over real HTTP through the real SDKs. A round reaches the simulator by `base_url`, like any server; the
simulator is not a lane.
"""
