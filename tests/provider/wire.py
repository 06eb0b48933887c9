"""Stands where the simulator stood, until nobody looks here."""

from programs.simulator.wire import *  # noqa: F403
