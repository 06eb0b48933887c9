"""The page of a configuration's history: fresh rounds by date, and a static release beside them."""

from pathlib import Path

import pandas as pd

from demur.engine.context import RoundContext, loader_reading
from demur.engine.progress import observer
from demur.errors import FlowError
from demur.flows.evaluations.boards import boards
from demur.flows.evaluations.static import static_drift
from demur.flows.orchestration.notifications import RoundEvent, emit
from demur.levers.durable import replace_durably
from demur.reports.boards import History, render_boards
from demur.warehouse.errors import disk_explained
from demur.warehouse.records import frame, records
from demur.warehouse.release import Release


def write_history(context: RoundContext, release: Release, evaluation: str | None) -> Path:
    """Write the page anew and say what moved; `evaluation` is the round's on the static release.

    Returns:
        The page, `boards/<configuration>.html`.
    """
    name = context.config.name
    with loader_reading(context) as con:
        now = [context.round_id] if evaluation is None else [context.round_id, evaluation]
        moved = list(records(con, "moved", [now]))
        static = []
        if evaluation is not None:
            try:
                static = list(static_drift(con, evaluation, context.round_id))
            except FlowError as exc:
                observer().notice(str(exc))
        history = History(frame(con, "rounds_history", [name]), pd.DataFrame(moved), pd.DataFrame(static))
        page = render_boards(boards(con, release.label), name, history)
    path = context.home.boards / f"{name}.html"
    with disk_explained(path):
        replace_durably(path, page.encode())
    if context.home.store is not None:
        context.home.store.put(context.home.key(path), page.encode())
    for row in moved:
        if row["verdict"] != "no":
            message = (
                f"{row['respondent']} moved {row['verdict']} by {abs(row['difference']):.3f} from "
                f"{row['earlier_round_id']} to {row['round_id']}"
            )
            observer().notice(message)
            emit(RoundEvent.MOVED, context.round_id, message)
    return path
