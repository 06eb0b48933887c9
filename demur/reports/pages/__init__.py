"""What all pages share: rendering with templates, charts, and differences of two texts word by word.

The explorer, reports, boards, comparisons of releases and audit pages are rendered here. `demur.reports.tables` and
`demur.reports.explorer` have the queries.
"""
