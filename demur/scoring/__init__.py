"""COUNT: pure numbers on arrays and frames; no files, no models, no database. Imports levers only."""
