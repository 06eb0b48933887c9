"""Everything that people look at: report, release card, boards, audit pages, explorer.

A page belongs here, with the frames that it shows (`content`), its template and its charts. The numbers are made in
`scoring`, and the rows come from views in `warehouse`. Tables of the terminal belong to `cli`.
"""
