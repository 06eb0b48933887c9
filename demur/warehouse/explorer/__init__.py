"""What the explorer's pages ask of the published copy: statements, and tables of its own that answer fast."""
