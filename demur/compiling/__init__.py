"""Compiling of programs: DSPy's optimisers work on cases that people judged, and their result is a file.

Cases, searches, prices and measured accuracy of a compilation belong here. Reading a compiled file belongs to
`programs/compiled`, since rounds need it without optimisers; the command belongs to `cli`.
"""
