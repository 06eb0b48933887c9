"""The card of a release: pass rates where people read its items, and that nobody did where nobody did."""

from typing import Any

from demur.reports.release_card import render_card
from demur.reports.tables import named_table

SUMMARY = {"layout": "single", "documents": 0, "items": 12, "controls": 4, "bases": 4, "judged": 9, "planned": 9}
STRATUM = {"class": "P-Ambiguity", "intensity": "LOW", "asked": 12, "items": 12, "wanted": 12}
DESCRIBED: dict[str, Any] = {
    "configuration": {
        "models": [{"name": "m", "provider": "rules", "model": "x"}],
        "roles": {"generators": ["m"]},
        "verification": {},
    },
    "catalogue": {"levers": 3},
    "seed": 1,
}
READ = {
    "class": "all", "readers": 2, "items": 30, "passes": 28, "pass_rate": 28 / 30, "low": 0.787, "high": 0.982,
    "published_pass_rate": 0.931,
}  # fmt: skip
Rows = list[dict[str, Any]]


def card(described: dict[str, Any] = DESCRIBED, **rows: Rows) -> str:
    names = ("strata", "leaderboard", "audit_rates", "audit_agreement", "saturated")
    tables = {name: named_table(name).shown(rows.get(name, [])) for name in names}
    return render_card("embedded", SUMMARY, described, {**tables, "strata": named_table("strata").shown([STRATUM])})


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
    full = card(saturated=[row])
    assert "| j | best | 93.0 % (88.0 to 96.0) | yes | 18 | P-Ambiguity, HIGH |" in full
    assert "| best | 93.0 % (88.0 to 96.0) | no |" in card(saturated=[{**row, "is_saturated": False}])
    assert "Nobody's responses are scored, so it is not known." in card()


def test_card_with_audits_shows_pass_rates_by_class_beside_the_published_ones() -> None:
    text = card(audit_rates=[{**READ, "class": "P-Ambiguity", "published_pass_rate": 0.883}, READ])
    assert "Readers: 2." in text
    assert "| Ambiguity | 30 | 28 | 93.3 % (78.7 to 98.2) | 88.3 % |\n| All classes | 30 |" in text
    assert "- `audits.jsonl`: what people found, one line per item and reader, readers numbered.\n- `manifest" in text
    assert "not by people" not in text
