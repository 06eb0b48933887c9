"""Pages for people: report, release card, boards, audit pages, explorer.

Pages belong here, with their frames (`content`), templates and charts. The numbers are made in `scoring`, and the rows
come from views in `warehouse`. Tables of the terminal belong to `cli`.
"""
