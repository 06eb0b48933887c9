"""Numbers on arrays and frames: metrics, intervals, agreement, weight fitting.

A formula belongs here; the room `rows` makes rows of tables from the results of formulas. Nothing here opens a file or
a database or asks a model. Showing a number belongs to `reports`; storing a number belongs to a stage of `flows`.
Imports `levers` only.
"""
