"""A round's request, session and lock."""
