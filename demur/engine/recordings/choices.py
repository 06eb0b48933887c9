"""Draws of a round that its recordings decide: what was drawn when replies were recorded is drawn again."""

from collections.abc import Mapping
from typing import Any

from demur.engine.reply_key import ReplyKey
from demur.lanes.spec import ModelSpec
from demur.programs.recording import read_recording


def recorded_draws(spec: ModelSpec, key: ReplyKey, inputs: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return what a recorded model has replies for, of all that could be drawn for a unit; none where it has none.

    `inputs` are those of the unit, what is drawn left out.
    """
    if spec.recording is None:
        return []
    path, name = spec.recording
    return read_recording(path).drawn(key.stage, name, key.of(inputs))
