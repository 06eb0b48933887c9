"""The lane without a model: each role answered by rule, as baseline, landmark and offline way.

An operator that pulls a lever belongs to `operators`, a role's answers to `roles`. What is read from a text for
several purposes belongs to `text`; a check that every candidate passes, whoever made it, belongs to
`programs/checks`.
"""
