"""From a signature to a request and from a reply to typed fields: what stands between DSPy and models."""
