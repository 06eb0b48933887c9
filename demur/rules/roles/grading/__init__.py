"""How the rules grader judges propositions: patterns of its own on prompt, completion and grounding."""
