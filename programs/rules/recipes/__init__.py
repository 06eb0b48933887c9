"""Recipes: how a rule pulls a lever. One module per lever class; the registry imports it when it is first needed."""
