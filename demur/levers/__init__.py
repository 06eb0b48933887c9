"""Taxonomy, lever catalogues and behaviour policies as YAML, their loaders, texts that levers change, shared words.

Levers, policies and the words of the taxonomy belong here. `programs/lever_needs` decides whether a lever fits a base
instance, and `rules/operators` pulls levers by rule. This package imports no other package of demur.
"""
