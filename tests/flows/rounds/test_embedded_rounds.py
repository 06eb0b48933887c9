"""The rounds that come with demur and need no keys: recorded replies of a language model, baselines beside them."""

from collections import Counter
from pathlib import Path

import pytest

from demur.flows.configuration.round_config import RECORDINGS, SHIPPED
from demur.programs.recording import SUFFIX, read_recording
from demur.warehouse.home import Home
from tests.flows.rounds import whole_round
from tests.flows.simulated import number, rows

pytestmark = [pytest.mark.slow(seconds=40), pytest.mark.usefixtures("prefect_api")]


def test_embedded_recording_is_small_and_says_who_answered_and_when() -> None:
    file = RECORDINGS / f"embedded{SUFFIX}"
    assert file.stat().st_size < 600_000
    recording = read_recording(file)
    for speaker in recording.speakers.values():
        assert speaker.answered_by and speaker.first <= speaker.last
    made = Counter(entry.task for entry in recording.entries.values() if entry.stage == "generate")
    assert made == {"GeneratePerturbation": (12 + 4) * 18, "RepairPerturbation": 11}


def test_embedded_round_of_several_documents_is_what_the_recording_holds(tmp_path: Path) -> None:
    assert whole_round(SHIPPED / "embedded-several.yaml", tmp_path) == "embedded-several/1"
    recorded = "SELECT DISTINCT stage FROM calls WHERE provider = 'recorded' AND status = 'ok' ORDER BY ALL"
    stages = ["generate", "grade", "judge", "respond", "verify", "write"]
    assert [stage for (stage,) in rows(tmp_path, recorded)] == stages
    assert number(tmp_path, "SELECT count(*) FROM failures") == 0
    made = "SELECT count(*), count(*) FILTER (status = 'declined') FROM live_perturbations"
    [(asked, declined)] = rows(tmp_path, made)
    assert asked == 4 * 18 and declined <= 0.03 * asked
    assert number(tmp_path, "SELECT count(*) FROM accepted_perturbations") >= 55
    scores = dict(rows(tmp_path, "SELECT respondent, calibrated_refusal_score FROM leaderboard"))
    best_rules = max(scores[name] for name in ("always-answers", "always-refuses", "lexical-overlap", "defect-spotter"))
    assert min(scores["respondent"], scores["respondent (ours)"]) > best_rules
    report = (Home(tmp_path).releases / "embedded-several" / "1" / "report.html").read_text(encoding="utf-8")
    assert "Recorded replies." in report and "Some models are rule baselines" in report
