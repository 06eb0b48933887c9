"""The report of a round: four answers in plain words, and folded sections with all details.

`overview` answers four questions: which respondents were asked, how well they did, which defects they miss, and how
certain the results are. `topics` has the folded sections. The explorer shows the report with links to items.
"""
