"""Reading of replies: response and reasoning, refusal codes, refusals in plain words."""
