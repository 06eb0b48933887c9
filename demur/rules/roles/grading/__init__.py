"""The rules grader's patterns for propositions, on prompt, completion and grounding."""
