"""The batch lane: requests of many units gathered, sent through a provider's batch endpoint, and waited for."""
