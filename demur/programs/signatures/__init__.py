"""What models are asked: DSPy signatures with their prompts, and the typed values that stand in them."""
