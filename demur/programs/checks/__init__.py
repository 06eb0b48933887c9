"""Code checks of perturbations and of questions, made before verifiers or provers are asked."""
