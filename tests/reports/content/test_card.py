"""The card of a release: pass rates where people read its items, and that nobody did where nobody did."""

from typing import Any

import pandas as pd

from demur.reports.content.card import render_card

SUMMARY = {"layout": "single", "items": 12, "controls": 4, "bases": 4}
STRATA = pd.DataFrame({"class": ["P-Ambiguity"], "intensity": ["LOW"], "items": [12]})
DESCRIBED: dict[str, Any] = {
    "configuration": {
        "models": [{"name": "m", "provider": "rules", "model": "x"}],
        "roles": {"generators": ["m"]},
        "verification": {},
    },
    "catalogue": {"levers": 3},
    "seed": 1,
}


def card(
    audits: pd.DataFrame,
    agreement: pd.DataFrame | None = None,
    saturated: pd.DataFrame | None = None,
    leaderboard: pd.DataFrame | None = None,
    described: dict[str, Any] = DESCRIBED,
) -> str:
    none = pd.DataFrame()
    return render_card(
        "embedded",
        SUMMARY,
        STRATA,
        described,
        audits,
        none if agreement is None else agreement,
        none if saturated is None else saturated,
        none if leaderboard is None else leaderboard,
    )


def test_card_says_whether_the_release_separates_and_which_strata_still_do() -> None:
    row = {
        "judge": "j",
        "respondent": "best",
        "calibrated_refusal_score": 0.93,
        "crs_low": 0.88,
        "crs_high": 0.96,
        "is_saturated": True,
        "strata": 18,
        "separating": ["P-Ambiguity, HIGH"],
    }
    full = card(pd.DataFrame(), saturated=pd.DataFrame([row]))
    assert "**Saturated**: it no longer tells better respondents apart. The best respondent by j, best, has" in full
    assert "1 of 18 strata have room above their best respondent: P-Ambiguity, HIGH." in full
    open_ = card(pd.DataFrame(), saturated=pd.DataFrame([{**row, "is_saturated": False, "crs_high": 0.9}]))
    assert "It has room for better respondents. The best" in open_ and "Saturated" not in open_.replace("saturated", "")
    assert "Nobody's responses are scored, so it is not known." in card(pd.DataFrame())


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


def test_card_with_several_readers_says_how_far_they_agree() -> None:
    audits = pd.DataFrame(
        [
            {"criterion": "overall", "class": "all", "items": 30, "readers": 2, "low": 0.7, "high": 0.9}
            | {"pass_rate": 0.8, "published_pass_rate": 0.931}
        ]
    )
    row = {
        "criterion": "overall",
        "coefficient": "alpha",
        "items": 25,
        "observed": 0.92,
        "value": 0.614,
        "reason": None,
    }
    said = card(audits, pd.DataFrame([row, {**row, "coefficient": "cohen", "value": 0.5}]))
    assert (
        "Of 25 items that several people read, 92.0% of pairs of readings agree; Krippendorff's alpha is 0.61." in said
    )
    alike = card(audits, pd.DataFrame([{**row, "value": None, "reason": "all readings are alike"}]))
    assert "Krippendorff's alpha is undefined (all readings are alike)." in alike
    assert "how far readers agree is not known" in card(audits)
