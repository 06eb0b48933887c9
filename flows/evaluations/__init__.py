"""Evaluations of models on frozen releases."""
