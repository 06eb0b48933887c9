"""The stages of a round, a folder each, their list, and the freezing of a release as the last step."""
