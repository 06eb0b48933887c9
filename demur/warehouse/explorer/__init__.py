"""Queries of the explorer's pages on the published copy: statements, and derived tables for fast answers."""
