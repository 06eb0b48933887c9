"""The stages of a round, one folder each, with their private parts; engine/stage.py holds the shared ones."""
