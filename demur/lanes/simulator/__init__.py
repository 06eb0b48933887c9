"""A provider on this machine: both wire formats, batches included, answered by rule, with faults on demand.

It stands in for a provider where a round is rehearsed, tested or measured: what is asked goes over real HTTP through
the real SDKs. It is no lane: a round reaches it as it reaches any server, by base_url.
"""
