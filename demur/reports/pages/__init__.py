"""The page system. All pages share a base template, a style, macros and the code for charts.

The explorer, reports, boards, comparisons of releases and audit pages are rendered here. `demur.reports.tables` and
`demur.reports.explorer` have the queries.
"""
