"""A provider on this machine: both wire formats with batches, answered by rule, with faults on demand.

It takes a provider's place in rehearsals, tests and measurements. Requests go over real HTTP through the real SDKs. A
round reaches it by `base_url`, like any server; it is not a lane.
"""
