"""Rule-based rewards as files: gold files, completions, graders by rule, reward files, fits, preference pairs.

Code that reads or writes one of these files belongs here. Servers and functions for trainers belong to `exchange`.
Grading models work in a round, which belongs to `flows`, as does the fit within a round. The hinge loss belongs to
`scoring`; policies, which define the propositions, belong to `levers`.
"""
