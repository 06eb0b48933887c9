"""The report of a round: four answers in plain words, and everything else behind a click.

`overview` answers four questions: who was asked, who did how well, which defects each one misses, and how certain this
is; `topics` has the unfolding parts below. The explorer shows the same pages with links to the items behind each
number.
"""
