"""How hard a model is asked: requests at once and a minute, pauses, a circuit breaker, shares with other processes."""
