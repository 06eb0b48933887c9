"""Stages of rewards, from completions to fitted weights: read, write, grade, rate, reward and fit."""
