"""The gates of all stages by name."""

from demur.flows.stages.registry import STAGES

GATES = {stage.name: stage.gate for stage in STAGES}
