"""Sources of a round: question files, read row by row with a fault for each bad row, and folders of documents.

Readers of corpus formats belong here; `corpus` chooses among them. `flows/stages/ingest` draws base instances. Nothing
here opens the warehouse or knows of a round.
"""
