"""What rounds take from recordings: the models that answer from them, and what was drawn when they were made."""
