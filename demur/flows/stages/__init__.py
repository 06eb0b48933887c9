"""The stages of a round, a folder each. The code shared by all stages is in `demur.engine`."""
