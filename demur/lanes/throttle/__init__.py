"""Throttling: rate limits, cooldowns, a circuit breaker, and shares of limits between processes."""
