"""A provider on this machine, with the wire formats of OpenAI and Anthropic, batches, and faults on demand.

It answers by rule. It takes a provider's place in rehearsals, tests and measurements. Requests go over real HTTP
through the real SDKs. A round reaches it by `base_url`, like any server; it is not a lane.
"""
