"""What every stage of a round has in common: units, shards, journal, budget, loading, gate."""
