"""Rule-based rewards outside a round: gold files, graders, reward files, their server and loader, preference pairs.

A use of fitted weights belongs here. The fit within a round is a stage of `flows`, the hinge loss is in `scoring`,
the propositions are policies in `levers`.
"""
