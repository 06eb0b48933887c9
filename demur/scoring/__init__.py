"""Numbers on arrays and frames: metrics, intervals, agreement, weight fitting.

A formula belongs here; `rows` turns results into rows of tables. Nothing here opens a file or a database or asks a
model. Showing a number belongs to `reports`; storing a number belongs to a stage of `flows`. Imports `levers` only.
"""
