"""What a round spends: its budget, the leases of its shards, and its costs as tables."""
