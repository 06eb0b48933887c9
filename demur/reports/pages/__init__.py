"""The page system. All pages share a base template, a style, macros and the code for charts.

The explorer, reports, boards, comparisons of releases and audit pages are rendered here from rows. The queries stand in
`demur.reports.tables` and `demur.reports.explorer`.
"""
