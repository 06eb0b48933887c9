"""What a round starts from: question files, read row by row with a fault for each bad row, and folders of documents.

A reader of a corpus format belongs here; `corpus` joins them. Drawing base instances from a corpus belongs to
`flows/stages/ingest`. Nothing here opens the warehouse or knows of a round.
"""
