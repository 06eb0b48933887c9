"""Stages from the items of a release to scores of models: unpack, respond, judge and score."""
