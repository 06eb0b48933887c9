"""Rounds that are running now, as pages show them: stage, rate, time left, dollars."""

from collections.abc import Mapping
from typing import Any

from demur.engine.progress_file import RoundState, live_rounds
from demur.warehouse.explorer.snapshot import Snapshot
from demur.warehouse.home import Home


def shown_rounds(home: Home, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Return the progress of every running round by its id; of later stages it knows what was estimated."""
    found = {}
    for round_id, state in live_rounds(home).items():
        expected = snapshot.rows("estimated_units", round=round_id)
        found[round_id] = shown_state(state, {row["stage"]: row["units"] for row in expected})
    return found


def shown_state(state: RoundState, expected: Mapping[str, int]) -> dict[str, Any]:
    """Return a running round's progress; `expected` are the units of its stages as they were estimated."""
    current = state.stages.get(state.stage)
    done = current.landed + current.done if current else 0
    units = current.units if current else 0
    rate = current.done / current.seconds if current and current.seconds else None
    left = None if not rate else max(units - done, 0) / rate
    worked = sum(one.done for one in state.stages.values())
    seconds = sum(one.seconds for one in state.stages.values())
    later = sum(number for stage, number in expected.items() if stage not in state.stages)
    return {
        "stage": state.stage or "starting",
        "step": state.step,
        "number": len(state.stages),
        "done": done,
        "units": units,
        "failed": {stage: one.failed for stage, one in state.stages.items() if one.failed},
        "rate": rate,
        "stage_seconds_left": left,
        "round_seconds_left": left + later * seconds / worked if left is not None and worked and expected else None,
        "spent_usd": state.spent_usd,
        "cap_usd": state.cap_usd,
    }
