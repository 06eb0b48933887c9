"""Documents as corpus: code that finds and reads documents, splits them into passages, and searches passages.

Documents are read in a separate process. A reader of a file format belongs in `readers`. `flows/stages` uses the
passages.
"""
