"""The language models behind the programs: lanes, engines, specs, keys, prices, and the path of requests to providers.

Code that deals with providers belongs here: transport, limits, batches, prices and retries. Recorded replies belong
here too, and the simulator, a provider on this machine. Prompts belong to `programs`, answers by rule to `rules`.
"""
