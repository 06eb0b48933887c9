"""How the three rules verifiers look at a perturbation: what all of them check, and what each checks alone."""
