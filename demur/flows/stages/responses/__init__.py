"""Stages of evaluations, from the items of a release to scores of models."""
