"""Sources of a round: question files, read row by row with a fault for each bad row, and folders of documents.

A reader of a corpus format belongs here; `corpus` joins them. `flows/stages/ingest` draws base instances. Nothing here
opens the warehouse or knows of a round.
"""
