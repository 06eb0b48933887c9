"""Compiling programs on what people judged: cases from gold files and audits, calls recorded, results as files."""
