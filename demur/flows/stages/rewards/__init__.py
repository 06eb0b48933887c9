"""Stages of rewards, from completions to fitted weights."""
