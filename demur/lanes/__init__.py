"""The language models behind the programs: a registry of lanes, an engine per model, one chain to the wire."""
