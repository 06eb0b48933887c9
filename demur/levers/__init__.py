"""Taxonomy, lever catalogues and behaviour policies as YAML, with their loaders, and the texts that levers change.

Levers, policies and the words of the taxonomy belong here. `programs/lever_needs` decides whether a lever fits a base
instance, and `rules/operators` pulls levers by rule. This package imports no other package of demur.
"""
