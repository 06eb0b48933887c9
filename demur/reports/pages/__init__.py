"""The page system: one base template, one style, one set of macros and one maker of charts for every page.

The explorer, a round's report, boards, comparisons of releases and audit pages are rendered here. Rows in, HTML out:
the queries stand in `demur.reports.tables` and `demur.reports.explorer`.
"""
