"""Pure operators on text that keep grammar, capitals, spacing and punctuation; recipes are made of them."""
