"""WHAT: taxonomy, lever catalogues and behaviour policies as YAML, with their typed loader. Imports no other room."""
