"""SHOW: frames in, self-contained HTML out. Imports no other room."""
