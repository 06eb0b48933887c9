"""The report of a round: four answers in plain words, and folded sections with all details."""
