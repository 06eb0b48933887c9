"""Responses made elsewhere: files of them read, scored, and put into the warehouse."""
