"""A stage's batches: the book that outlives a process, and what people may do about them."""
