"""The layer between DSPy and models: from a signature to a request, and from a reply to typed fields."""
