"""Throttling: rate limits, pauses, a circuit breaker, and shares of limits for workers."""
