"""Documents as corpus: files found, read in a process of their own, split into passages, and searched for nearest ones.

A reader of a file format belongs into `readers`. What becomes of passages belongs to `flows/stages`.
"""
