"""Agreement of a judge with people's labels of the responses in a file."""

from pathlib import Path
from typing import Any

import pandas as pd

from demur.configuration.labels import FILE
from demur.engine.context import RoundContext, digest_of, loader_reading
from demur.errors import FlowError
from demur.flows.evaluations.calibration import HumanLabel, agreements, keep_calibrations
from demur.flows.evaluations.labelled import read_labelled
from demur.flows.files.results import why_without
from demur.reports.content.evaluations import judge_digest
from demur.warehouse.records import records


def calibrations_of(context: RoundContext, path: Path) -> list[dict[str, Any]]:
    """Compute the agreement of a judge with the labels in a file, store it in the warehouse, and return it.

    Raises:
        FlowError: a response was not judged.
    """
    assert context.file_given is not None
    lines = read_labelled(path)
    (spec,) = context.specs(context.config.roles.judges)
    with loader_reading(context) as con:
        judged = {row["line"]: row for row in records(con, "file_judgements", [context.round_id])}
    if missing := [number for number in lines if number not in judged]:
        why = why_without(context, missing)[missing[0]]
        raise FlowError(
            f"{path}:{missing[0]}: was not judged ({why}); {len(missing)} of {len(lines)} responses were not. The "
            "other judgements are kept: run the same command again for the missing ones"
        )
    frame = pd.DataFrame(
        {
            "item_id": str(number),
            "respondent": FILE,
            "replicate": 0,
            "source_id": line.source_id or digest_of(line.question),
            "judge": spec.name,
            "judge_digest": judge_digest(spec),
            "predicted": judged[number]["predicted"],
            "correct": judged[number]["correct"],
            "judged_by": judged[number]["judged_by"],
        }
        for number, line in lines.items()
    )
    labels = [
        HumanLabel(item_id=str(number), respondent=FILE, predicted=line.predicted, correct=line.correct)
        for number, line in lines.items()
    ]
    rows = list(agreements(frame, {label.response: label for label in labels}, path))
    return keep_calibrations(context.home, context.round_id, context.file_given.sha256, rows)
