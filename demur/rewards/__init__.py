"""Rule-based rewards as files: gold files, completions, graders by rule, reward files, fits, preference pairs.

Code that reads or writes such files belongs here. Servers and functions for trainers belong to `exchange`. Grading by
models, and the fit within a round, belong to `flows`. The hinge loss belongs to `scoring`. Policies define the
propositions and belong to `levers`.
"""
