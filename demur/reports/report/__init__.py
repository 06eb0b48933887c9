"""The report of a round: four answers in plain words, and folded sections with all details.

The four answers tell which respondents were asked, how well the respondents did, which defects they miss, and how
certain the results are. `overview` has the answers, and `topics` has the folded sections. The explorer shows the report
with links to items.
"""
