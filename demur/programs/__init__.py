"""DSPy programs: what models are asked, how replies are read, and code checks of what they made.

A prompt belongs to `signatures`, its program to a module here, the JSON of request and reply to `adapter`, a check of
a candidate to `checks`. The models that answer belong to `lanes`, analysis of texts to `text`.
"""
