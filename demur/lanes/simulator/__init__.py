"""A provider on this machine: both wire formats, batches included, answered by rule, with faults on demand.

It replaces a provider where a round is rehearsed, tested or measured: requests go over real HTTP through the real SDKs.
It is no lane: a round reaches it by base_url, like any server.
"""
