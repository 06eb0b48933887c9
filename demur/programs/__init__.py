"""DSPy programs: prompts for models, reading of replies, and code checks of generated texts.

A prompt belongs to `signatures`, its program to a module here, the JSON of request and reply to `adapter`, a check of a
perturbation to `checks`. Models that answer belong to `lanes`, analysis of texts to `text`.
"""
