"""A round's configuration: what its file may hold."""
