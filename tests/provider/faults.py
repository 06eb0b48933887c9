"""Stands where the simulator stood, until nobody looks here."""

from programs.simulator.faults import *  # noqa: F403
