"""The page system: one base template, one style, one set of macros and one maker of charts for every page.

The explorer, reports, boards, comparisons of releases and audit pages are rendered here from rows. The queries stand in
`demur.reports.tables` and `demur.reports.explorer`.
"""
