"""The lane without a model: each role answered by rule, as a baseline and for offline rounds.

Operators of levers belong to `operators`; answers of roles belong to `roles`. Text analysis that several packages use
belongs to `text`. Checks of all candidates belong to `programs/checks`.
"""
