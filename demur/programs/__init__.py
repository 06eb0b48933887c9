"""DSPy programs, one module for a kind of task, what is recorded of their calls, and code checks of generated texts.

Prompts are in `signatures`. Programs that send prompts are in the modules of this package. The JSON of requests and
replies is in `adapter`. Checks of perturbations are in `checks`. Models are in `lanes`, and analysis of texts is in
`text`.
"""
