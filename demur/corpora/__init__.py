"""Sources of a round: files of questions, and folders of documents.

Questions are read row by row, with a fault for each bad row.
Readers of corpus formats belong here; `corpus` chooses among them. `flows/stages/ingest` draws base instances. Nothing
here opens the warehouse or knows of a round.
"""
