"""Frozen releases: manifests, freezing, verification, signatures."""
