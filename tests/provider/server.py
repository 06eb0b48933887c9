"""Stands where the simulator stood, until nobody looks here."""

from programs.simulator.server import Simulator as Provider  # noqa: F401
from programs.simulator.serving import serve  # noqa: F401
