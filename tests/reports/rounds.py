"""An invented round for the tests of reports: rows of its named tables with numbers and texts that nobody measured."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from demur.reports.cells import rows as rows_of
from demur.reports.reward_results import behaviours
from demur.reports.round_report import overview, topics
from demur.reports.round_report.page import Report, ReportFacts
from demur.reports.tables import named_table

GENERATORS = ("rules-terse", "rules-elaborate")
VERIFIERS = ("rules-rederive", "rules-strict", "rules-wording")
RESPONDENTS = ("defect-spotter", "lexical-overlap", "always-answers", "always-refuses")
JUDGE = "rules-judge"
TABLES = Path(__file__).with_name("invented_round.json")

Frames = dict[str, pd.DataFrame]


def facts(**changes: Any) -> ReportFacts:
    """Return what a report says beside its tables."""
    known = {"title": "embedded", "release": "embedded/3", "date": "2026-11-20", "corpus": "harbours.jsonl"}
    return ReportFacts(**{**known, "demur": "0.1.0", **changes})


def overview_row(items: int = 196, rules: tuple[str, ...] = RESPONDENTS, **changes: Any) -> dict[str, Any]:
    """Return the one row of the overview, of a round in which these respondents are fixed rules."""
    everybody = (*GENERATORS, *VERIFIERS, JUDGE, *RESPONDENTS)
    models = [
        {
            "name": name,
            "provider": "recorded" if name in RESPONDENTS and name not in rules else "rules",
            "model": f"respondent/{name}",
        }
        for name in everybody
    ]
    return {
        "round_id": "embedded", "name": "embedded", "bases": 24, "layout": "single", "seed": 20261120,
        "config": json.dumps({"models": models}), "generators": list(GENERATORS), "verifiers": list(VERIFIERS),
        "respondents": list(RESPONDENTS), "judges": [JUDGE], "is_imported": False, "items": items, "with_class": items,
        "any_reason": 0, "is_set": False, "benchmark": None,
        "answerable": items // 3, "to_refuse": items - items // 3, "controls": 24, "item_bases": 24,
        "candidates": 500, "accepted": 400, "judged": 4 * items, "planned": 4 * items, "readers": 2, "items_read": 30,
        "is_audited": False, "agreement": 0.41, **changes,
    }  # fmt: skip


def report_of(frames: Frames, fact: ReportFacts | None = None) -> Report:
    """Return the report of a round that has these rows and no others."""
    names = dict.fromkeys((*overview.TABLES, *topics.TABLES))
    tables = {name: named_table(name).shown(rows_of(frames.get(name, pd.DataFrame()))) for name in names}
    return Report("embedded", fact or facts(), tables)


def full_report(frames: Frames | None = None, **changes: Any) -> Report:
    """Return the report of the invented round."""
    given = full_round() if frames is None else frames
    fitted = behaviours(given["weights"], given["fits"], given["rewards"])
    return report_of(given, facts(**{"behaviours": fitted, **changes}))


def empty_report() -> Report:
    """Return the report of a round in which nothing has happened yet."""
    nothing = {"items": 0, "answerable": 0, "to_refuse": 0, "controls": 0, "item_bases": 0, "candidates": None,
               "accepted": None, "judged": None, "planned": None, "readers": 0, "items_read": 0,
               "agreement": None}  # fmt: skip
    return report_of({"overview": pd.DataFrame([overview_row(**nothing)])}, facts(release=""))


def full_round() -> Frames:
    """Return the rows of a round by named table, among them short strata and undefined values."""
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    frames = {name: pd.DataFrame(table["rows"], columns=table["columns"]) for name, table in tables.items()}
    return {"overview": pd.DataFrame([overview_row(int(frames["strata"]["items"].sum()))]), **frames}
