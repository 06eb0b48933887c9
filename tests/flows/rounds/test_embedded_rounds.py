"""The rounds that come with demur and need no keys: recorded replies of a language model, baselines beside them."""

import json
import re

import pytest

from tests.flows.finished_rounds import FinishedRound
from tests.flows.simulated import number, rows

REWORDED = {"generate", "verify", "respond", "judge"}
"""The stages whose prompts were reworded since the recording, and answer to the same."""
RECORDED = ("respondent-a", "respondent-a (ours)", "respondent-b", "respondent-b (ours)")
"""The respondents that answer from the recording, by both sets of prompts."""

pytestmark = [pytest.mark.slow(seconds=40), pytest.mark.usefixtures("prefect_api")]


def test_embedded_round_of_several_documents_is_what_the_recording_holds(several_round: FinishedRound) -> None:
    home = several_round.home.root
    recorded = "SELECT DISTINCT stage FROM calls WHERE provider = 'recorded' AND status = 'ok' ORDER BY ALL"
    stages = ["generate", "judge", "respond", "verify", "write"]
    assert [stage for (stage,) in rows(home, recorded)] == stages
    earlier = rows(home, "SELECT DISTINCT stage FROM calls WHERE earlier_prompt")
    assert {stage for (stage,) in earlier} <= REWORDED, "recorded with other prompts"
    assert number(home, "SELECT count(*) FROM failures") == 0
    assert rows(home, "SELECT DISTINCT cost_usd FROM calls WHERE provider = 'recorded'") == [(0.0,)]
    release = several_round.home.releases / "embedded-several" / "1"
    told = json.loads((release / "manifest.json").read_text(encoding="utf-8"))["recorded"]
    assert sum(model["replies"] for model in told) == number(
        home, "SELECT count(*) FROM calls WHERE provider = 'recorded'"
    )
    made = "SELECT count(*), count(*) FILTER (status = 'declined') FROM live_perturbations"
    [(asked, declined)] = rows(home, made)
    assert asked == 4 * 18 and declined <= 0.03 * asked
    assert number(home, "SELECT count(*) FROM accepted_perturbations") >= 55
    scores = dict(rows(home, "SELECT respondent, calibrated_refusal_score FROM leaderboard"))
    rules = ("always-answers", "always-refuses", "lexical-overlap", "defect-spotter")
    assert scores.keys() == {*rules, *RECORDED}
    assert min(scores[name] for name in RECORDED) > max(scores[name] for name in rules)
    report = " ".join((release / "report.html").read_text(encoding="utf-8").split())
    assert re.search(r"were given from 27 November 2026 to 29 November 2026 by .*; nothing was asked again", report)
    assert "Replayed replies." in report and "Fixed rules are no language models" in report
    assert "answer an earlier wording of the prompts" in report
