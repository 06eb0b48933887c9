"""The report of a round: four answers in plain words, and everything else behind a click.

`overview` answers what was asked of whom, who did how well, which defects each one misses, and how far to believe it;
`topics` has what unfolds below. The explorer shows the same pages with links to the items behind each number.
"""
