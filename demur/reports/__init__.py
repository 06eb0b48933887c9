"""Pages for people: reports, release cards, boards, comparisons, reward fits, audit pages, explorer.

Pages, their data, templates and charts belong here. Numbers are computed in `scoring`; rows come from views in
`warehouse`. Printing to the terminal belongs to `cli`.
"""
