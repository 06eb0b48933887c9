"""The language models behind the programs: a registry of lanes, an engine for each model, one chain to the wire.

Providers belong here, with transport, limits, batches, prices and retries. Recorded replies belong here too, and the
simulator, a provider on this machine. Prompts belong to `programs`, answers by rule to `rules`.
"""
