"""The parts of reading a corpus: lines, faults, field checks, rows, and one module per format.

Callers use `flows.corpora.corpus`, which joins them. Nothing here opens the warehouse or knows of a round.
"""
