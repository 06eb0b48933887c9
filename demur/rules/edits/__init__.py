"""Pure functions on text that keep grammar, capitals, spacing and punctuation; recipes consist of them."""
