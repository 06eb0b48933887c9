"""Checks by which the rules lane judges what its own recipes wrote. Texts of models are judged by verifiers."""
