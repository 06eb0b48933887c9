"""Providers over HTTP: a lane for each interface, SDKs, and the reading of what servers send, errors too."""
