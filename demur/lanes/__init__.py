"""The language models behind the programs: a registry of lanes, an engine for each model, one chain to the wire.

A provider belongs here, with transport, limits, batches, prices and retries; so do recorded replies and the
simulator, a provider on this machine. What a model is asked belongs to `programs`, answers by rule to `rules`.
"""
