"""Sets of rows that others made, such as published benchmarks, and their import as releases."""
