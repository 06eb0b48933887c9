"""Taxonomy, lever catalogues and behaviour policies as YAML, with their loaders, and the texts that levers change.

A lever, policy or word of the taxonomy belongs here. Whether a lever fits a base instance is found in
`programs/lever_needs`, and how a lever is pulled by rule belongs to `rules/operators`. Imports no other room.
"""
