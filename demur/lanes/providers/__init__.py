"""Providers over HTTP: a lane for each interface, SDKs, and tables of what servers answer."""
