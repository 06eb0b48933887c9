"""Documents as corpus: found, read in a separate process, split into passages, and searched for nearest passages.

A reader of a file format belongs into `readers`. `flows/stages` uses the passages.
"""
