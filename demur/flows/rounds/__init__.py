"""A round as a whole: which one it is, that one process works on it, and that nothing it needs is missing."""
