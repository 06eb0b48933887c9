"""Code checks of perturbations, made before verifiers are asked."""
