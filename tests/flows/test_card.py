"""The card of a release: pass rates where people read its items, and that nobody did where nobody did."""

import pandas as pd

from flows.reporting.card import render_card

SUMMARY = {"layout": "single", "items": 12, "controls": 4, "bases": 4}
STRATA = pd.DataFrame({"class": ["P-Ambiguity"], "intensity": ["LOW"], "items": [12]})
DESCRIBED = {
    "configuration": {
        "models": [{"name": "m", "provider": "rules", "model": "x"}],
        "roles": {"generators": ["m"]},
        "verification": {},
    },
    "catalogue": {"levers": 3},
    "seed": 1,
}


def card(audits: pd.DataFrame) -> str:
    return render_card("embedded", SUMMARY, STRATA, DESCRIBED, audits)


def test_card_without_audits_says_that_nobody_read() -> None:
    text = card(pd.DataFrame())
    assert "No item of this release was read by a person." in text
    assert "verified by the models above, not by people." in text
    assert "audits.jsonl" not in text


def test_card_with_audits_shows_pass_rates_by_class_beside_the_published_ones() -> None:
    row = {"criterion": "overall", "readers": 2, "low": 0.787, "high": 0.982, "pass_rate": 28 / 30}
    text = card(
        pd.DataFrame(
            [
                {**row, "class": "all", "items": 30, "passes": 28, "published_pass_rate": 0.931},
                {**row, "class": "P-Ambiguity", "items": 30, "passes": 28, "published_pass_rate": 0.883},
                {**row, "criterion": "lever_fidelity", "class": "all", "items": 9, "published_pass_rate": None},
            ]
        )
    )
    assert "People read 30 items (2 readers)." in text
    assert "| P-Ambiguity | 30 | 93.3% | 78.7% to 98.2% | 88.3% |\n| all | 30 |" in text
    assert "- `audits.jsonl`: what people found, one line per item and reader, readers numbered.\n- `manifest" in text
    assert "not by people" not in text
