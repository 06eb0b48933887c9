"""Weights of rule-based rewards: ordered completions, the fit, its penalty, and grades of propositions."""
