"""The terminal of the command line: text, tables, progress, completion, and the end of the process."""
