"""Tasks of other tools, written beside exported items as they stand here; read as texts, never imported."""
