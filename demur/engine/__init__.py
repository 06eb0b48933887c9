"""The stage engine: units, shards, journal, budget, loading, gate."""
