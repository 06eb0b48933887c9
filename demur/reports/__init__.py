"""Pages for people: report, release card, boards, audit pages, explorer.

Pages, their data (`content`), templates and charts belong here. Numbers are computed in `scoring`; rows come from views
in `warehouse`. Printing to the terminal belongs to `cli`.
"""
