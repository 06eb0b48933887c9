"""Sources of a round: files of questions in any format, row by row with faults, and folders of documents.

Questions are read row by row; each bad row gives a fault. Readers of corpus formats belong here; `corpus` chooses the
reader. `flows/stages/bases` draws base instances. No code here opens the warehouse or uses a round.
"""
