"""Rounds that are running now, as pages show them: stage, rate, time left, dollars."""

from typing import Any

from demur.engine.progress_state import RoundState, live_rounds
from demur.engine.time_left import said
from demur.warehouse.home import Home


def shown_rounds(home: Home) -> dict[str, dict[str, Any]]:
    """Return the progress of every running round by its id."""
    return {round_id: shown_state(state) for round_id, state in live_rounds(home).items()}


def shown_state(state: RoundState) -> dict[str, Any]:
    """Return a running round's progress."""
    current = state.stages.get(state.stage)
    done = current.landed + current.done if current else 0
    units = current.units if current else 0
    rate = current.done / current.seconds if current and current.seconds else None
    return {
        "stage": state.stage or "starting",
        "step": state.step,
        "number": len(state.stages),
        "done": done,
        "units": units,
        "failed": {stage: one.failed for stage, one in state.stages.items() if one.failed},
        "rate": rate,
        "stage_left": said(state.left.stage),
        "round_left": said(state.left.round),
        "spent_usd": state.spent_usd,
        "cap_usd": state.cap_usd,
    }
