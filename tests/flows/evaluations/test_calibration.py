"""Judges beside people: agreement and kappa on labelled responses, kept for the judge; files that cannot be used."""

import json
import shutil
from pathlib import Path

import pytest

from demur.flows.errors import FlowError
from demur.flows.evaluations.calibration import calibrate_judges
from demur.flows.reporting.evaluations import judge_calibrations
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.scoring.agreement import cohen_kappa
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import demur_here
from tests.flows.simulated import rows

pytestmark = [pytest.mark.slow(seconds=20), pytest.mark.usefixtures("prefect_api")]

JUDGED = (
    "SELECT item_id, respondent, predicted, correct "
    "FROM live_judgements JOIN live_responses USING (item_id, respondent) ORDER BY ALL LIMIT 60"
)


def labels(home: Path, changed: int) -> list[dict[str, object]]:
    """The judgements of the round as labels, of which some say something else."""
    found = []
    for at, (item, respondent, predicted, correct) in enumerate(rows(home, JUDGED)):
        label: dict[str, object] = {"item_id": item, "respondent": respondent, "predicted": predicted}
        if at < changed:
            label["predicted"] = "REFUSE_OTHER"
        if correct is not None:
            label["correct"] = correct
        found.append(label)
    return found


def write(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_agreement_with_people_is_counted_kept_for_the_judge_and_shown(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("DEMUR_HOME", str(home))
    shutil.copytree(released, home)
    people = labels(home, changed=6)
    file = write(tmp_path / "labels.jsonl", people)
    shown = json.loads(
        demur_here("judge", "calibrate", "embedded", "--on", str(file), "--format", "json", home=home).stdout
    )
    by_aspect = {row["aspect"]: row for row in shown}
    code = by_aspect["code"]
    judged = [predicted for _, _, predicted, _ in rows(home, JUDGED)]
    assert code["responses"] == 60 and code["observed"] == pytest.approx(54 / 60)
    assert code["kappa"] == pytest.approx(cohen_kappa(judged, [str(one["predicted"]) for one in people]))
    assert code["low"] < code["kappa"] < code["high"]
    assert by_aspect["correct"]["observed"] == 1.0
    calibrate_judges(Home(home), "embedded", file)
    kept = rows(
        home, "SELECT aspect, judge_digest = (SELECT any_value(judge_digest) FROM evaluations) FROM judge_calibrations"
    )
    assert sorted(kept) == [("code", True), ("correct", True)], "the same file again changes nothing"
    later = check_round(RoundRequest(str(released.parent / "embedded.yaml"), round_id="later"))
    with reading(Home(home), "loader") as con:
        in_manifest = judge_calibrations(later, con)
    assert [(row["aspect"], row["kappa"]) for row in in_manifest] == [
        ("code", code["kappa"]), ("correct", by_aspect["correct"]["kappa"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"item_id": "x", "respondent": "y", "predicted": "INVALID"}, "is no judged response of this round"),
        ({"item_id": "x", "respondent": "y", "predicted": "MAYBE"}, "line 1: predicted: .*'MAYBE' is not one of"),
        ({"item_id": "x", "respondent": "y"}, "line 1: predicted: Field required. A label is"),
    ],
)
def test_labels_that_cannot_be_used_are_refused_with_their_line(
    released: Path, tmp_path: Path, line: dict[str, object], complaint: str
) -> None:
    home = tmp_path / "home"
    shutil.copytree(released, home)
    with pytest.raises(FlowError, match=complaint):
        calibrate_judges(Home(home), "embedded", write(tmp_path / "labels.jsonl", [line]))
    assert rows(home, "SELECT count(*) FROM judge_calibrations") == [(0,)]
