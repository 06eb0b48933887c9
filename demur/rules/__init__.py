"""The lane without a model: each role answered by rule, as a baseline and for offline rounds.

Operators of levers belong to `operators`; answers of roles belong to `roles`. Readings of a text for several purposes
belong to `text`. Checks of all candidates belong to `programs/checks`.
"""
