"""Epistemic mismatches: opinions, forecasts and suppositions that are asked for of what a text only reports."""

from demur.rules.operators.asking import SLOTS, ask
from demur.rules.operators.registry import operator

operator("epistemic.ask", *SLOTS)(ask)
