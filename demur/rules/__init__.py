"""The rules lane: what can be done with a question and its passages by rule, without a language model."""
