"""Judges beside people: agreement and kappa on labelled responses, kept for the judge; files that cannot be used."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from demur.configuration.models import chosen_model
from demur.configuration.sections import JudgeBounds
from demur.errors import FlowError
from demur.flows.evaluations.calibration import agreements, calibrate_judges, judged_responses, read_labels
from demur.flows.file import FileRequest, calibrations_of, file_context, work_on
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.lanes.simulator.server import serve
from demur.programs.options import FileKind
from demur.reports.score_provenance import calibration_state, judge_calibrations, judge_digest
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.flows.rounds import demur_here
from tests.flows.simulated import KEY, KEY_VARIABLE, number, rows

pytestmark = [pytest.mark.slow(seconds=20), pytest.mark.usefixtures("prefect_api")]

JUDGED = (
    "SELECT item_id, respondent, predicted, correct, judged_by "
    "FROM live_judgements JOIN live_responses USING (item_id, respondent) ORDER BY ALL LIMIT 60"
)


def labels(home: Path, changed: int) -> list[dict[str, object]]:
    """The judgements of the round as labels, of which some say something else."""
    found = []
    for at, (item, respondent, predicted, correct, _) in enumerate(rows(home, JUDGED)):
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
    asked = number(home, f"SELECT count(*) FROM ({JUDGED}) WHERE judged_by = 'judge'")
    found = agreements(judged_responses(Home(home), "embedded"), read_labels(file), file)
    parsed = {row["aspect"]: row["responses"] for row in found}
    assert 0 < parsed["code"] == asked < 60, "codes that no judge was asked about say nothing of a judge"
    with writing(Home(home), wait_seconds=10) as con:  # as with `judge_codes: true`
        con.execute("UPDATE judgements SET judged_by = 'judge'")
    publish(Home(home))
    shown = json.loads(
        demur_here("judge", "calibrate", "embedded", "--on", str(file), "--format", "json", home=home).stdout
    )
    by_aspect = {row["aspect"]: row for row in shown}
    code = by_aspect["code"]
    judged = [predicted for _, _, predicted, *_ in rows(home, JUDGED)]
    assert code["responses"] == 60 and code["observed"] == pytest.approx(54 / 60)
    assert code["kappa"] == pytest.approx(cohen_kappa_score(judged, [str(one["predicted"]) for one in people]))
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
        ({"item_id": "x", "respondent": "y", "predicted": "INVALID"}, "is not a judged response of this round"),
        ({"item_id": "x", "respondent": "y", "predicted": "MAYBE"}, ":1: predicted: .*'MAYBE' is not one of"),
        ({"item_id": "x", "respondent": "y"}, ":1: predicted: Field required. A label is"),
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


JUDGE = "rules:judge/patterns"
RESPONSE = {"question": "How high is the crane?", "passages": ["The crane is forty metres high."]}
STATED = {"response": "REFUSE_AMBIGUOUS_QUERY", "predicted": "REFUSE_AMBIGUOUS_QUERY"}


def on_file(tmp_path: Path, *lines: dict[str, object]) -> Path:
    return write(
        tmp_path / "responses.jsonl", [{**RESPONSE, "source_id": str(at), **one} for at, one in enumerate(lines)]
    )


def calibrated(home: Path, file: Path, model: str) -> list[dict[str, Any]]:
    request = FileRequest(FileKind.RESPONSES, str(file), model)
    work_on(request)
    return calibrations_of(file_context(Home(home), request), file)


def test_judge_is_calibrated_on_a_file_of_responses_in_a_round_of_its_own_and_asked_once_about_each_line(
    demur_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    right = {"answers": ["forty metres"], "response": "Forty metres.", "predicted": "ANSWER_ATTEMPT", "correct": True}
    wrong = {**right, "response": "Sixty yards.", "correct": False}
    called = {"response": "REFUSE_OTHER", "predicted": "REFUSE_AMBIGUOUS_QUERY"}
    lines = [right, {**right, "question": "Is the crane high?"}, wrong, STATED, {**STATED, "question": "Why?"}, called]
    file = on_file(tmp_path, *lines)
    with serve() as simulator:
        spec = f"court=openai:judge/patterns,base_url={simulator.openai_url},api_key_env={KEY_VARIABLE},max_tokens=2000"
        code, correct = calibrated(demur_home, file, spec)
        assert (code["aspect"], code["responses"], code["observed"]) == ("code", 6, pytest.approx(5 / 6))
        assert code["low"] <= code["kappa"] <= code["high"]
        assert (correct["aspect"], correct["responses"], correct["observed"]) == ("correct", 3, 1.0)
        kept = rows(demur_home, "SELECT judge_digest, aspect, kappa FROM judge_calibrations ORDER BY aspect")
        digest = judge_digest(chosen_model(spec, ()))
        assert kept == [(digest, "code", code["kappa"]), (digest, "correct", correct["kappa"])]
        assert rows(demur_home, "SELECT kind FROM round_origins") == [("file",)]
        assert len(simulator.asked) == 6
        on_file(tmp_path, *lines[:5], {**called, "predicted": "REFUSE_OTHER"}, {**STATED, "response": "A third."})
        again, _ = calibrated(demur_home, file, spec)
        assert (again["responses"], again["observed"]) == (7, pytest.approx(6 / 7))
        assert len(simulator.asked) == 7, "a line that is new is asked about, and no other"


@pytest.mark.parametrize(
    ("line", "model", "complaint"),
    [
        ({"response": "x", "predicted": "MAYBE"}, JUDGE, ":1: predicted: 'MAYBE' is not one of"),
        ({"response": "x"}, JUDGE, ":1: predicted: Field required. A line is"),
        (STATED, "rules:respondent/always-refuses", "rules are for another role than judge"),
        (STATED, None, "name an EVALUATION with judgements, or a judge"),
    ],
)
def test_file_that_cannot_be_calibrated_on_is_one_clear_error(
    demur_home: Path, tmp_path: Path, line: dict[str, object], model: str | None, complaint: str
) -> None:
    named = ("--model", model) if model else ()
    done = demur_here("judge", "calibrate", "--on", str(on_file(tmp_path, line)), *named, home=demur_home)
    assert done.returncode == 2 and complaint in " ".join(done.stderr.replace("│", " ").split())


def calibration(aspect: str, kappa: float | None, responses: int = 100) -> dict[str, object]:
    reason = None if kappa is not None else "one of the two never varies"
    return {"judge_digest": "d", "aspect": aspect, "kappa": kappa, "responses": responses, "reason": reason}


@pytest.mark.parametrize(
    ("measured", "bounds", "state", "why"),
    [
        ([], None, "uncalibrated", "nobody has compared 'court' with people"),
        ([calibration("correct", 0.9)], None, "uncalibrated", "nobody has compared"),
        ([calibration("code", 0.2)], None, "calibrated", "no bounds were set"),
        ([calibration("code", 0.7)], JudgeBounds(min_kappa=0.6), "calibrated", "gates.judge is met"),
        ([calibration("code", 0.5)], JudgeBounds(min_kappa=0.6), "uncalibrated", "on code, kappa 0.50"),
        ([calibration("code", None)], JudgeBounds(min_kappa=0.6), "uncalibrated", "without a kappa (one of the two"),
        (
            [calibration("code", 0.7), calibration("correct", 0.3)],
            JudgeBounds(min_kappa=0.6), "uncalibrated", "on correct, kappa 0.30",
        ),
        ([calibration("code", 0.7, 20)], JudgeBounds(min_kappa=0.6, responses=50), "uncalibrated", "20 of the 50 resp"),
    ],
)  # fmt: skip
def test_release_is_called_calibrated_where_its_judges_keep_the_bounds(
    measured: list[dict[str, object]], bounds: JudgeBounds | None, state: str, why: str
) -> None:
    found = calibration_state(measured, {"court": "d"}, bounds)
    assert found["state"] == state and why in found["why"]
