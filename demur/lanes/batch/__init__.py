"""The batch lane: requests of many units, sent together through a provider's batch endpoint at half the price."""
