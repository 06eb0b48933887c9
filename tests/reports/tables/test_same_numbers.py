"""Twenty numbers of one round, counted here in SQL of their own, are the same wherever people see them.

A number is looked for in its row: the line of a terminal, of Markdown or of HTML that also has what the row is about.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import demur
from demur.reports.artifacts import round_markdown
from demur.reports.explorer.pages import results_page
from demur.reports.pages.rendering import render, to
from demur.warehouse.connection import reading
from demur.warehouse.releases.manifest import release_at
from demur.warehouse.results.snapshots import Snapshots
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here

RESPONDENTS = ("always-answers", "always-refuses", "defect-spotter", "lexical-overlap")
SCORES = """
SELECT respondent,
    any_value(value) FILTER (metric = 'calibrated_refusal_score'), any_value(low) FILTER (metric = 'calibrated_refusal_score'),
    any_value(high) FILTER (metric = 'calibrated_refusal_score'), any_value(value) FILTER (metric = 'refusal_accuracy'),
    any_value(value) FILTER (metric = 'answer_accuracy')
FROM live_scores
WHERE round_id = ? AND slice = 'overall' GROUP BY ALL ORDER BY respondent
"""  # noqa: E501
ITEMS = """
SELECT count(*) FROM live_items WHERE round_id = ? AND class = 'P-Contradiction' AND intensity = 'HIGH' AND kind = 'perturbed'
"""  # noqa: E501
LOST = """
SELECT
    (SELECT count(*) FROM live_perturbations
        WHERE round_id = ? AND class = 'P-Contradiction' AND intensity = 'HIGH' AND status = 'rejected'),
    (SELECT count(*) FROM consensus
        WHERE round_id = ? AND class = 'P-Contradiction' AND intensity = 'HIGH' AND NOT accepted)
"""


@dataclass(frozen=True)
class Fact:
    """A number as people shall see it, the raw one, and where it stands: table, row and column."""

    table: str
    row: Sequence[str]
    column: str
    raw: float
    said: str


def facts_of(round_: FinishedRound) -> list[Fact]:
    """Count scores and the ends of their intervals, items of a stratum, and requests of stages."""
    with reading(round_.home) as con:
        scores = con.execute(SCORES, [round_.round_id]).fetchall()
        [(items,)] = con.execute(ITEMS, [round_.round_id]).fetchall()
        [lost] = con.execute(LOST, [round_.round_id, round_.round_id]).fetchall()
        requests = dict(con.execute("SELECT stage, count(*) FROM calls GROUP BY stage").fetchall())
    found = []
    assert [row[0] for row in scores] == list(RESPONDENTS)
    for respondent, value, low, high, refusals, answers in scores:
        numbers = {"calibrated_refusal_score": value, "crs_low": low, "crs_high": high}
        ends = "" if low is None else f" ({100 * low:.1f} to {100 * high:.1f})"
        score = f"{100 * value:.1f} %{ends}"
        found += [
            Fact("leaderboard", (respondent,), name, raw, score) for name, raw in numbers.items() if raw is not None
        ]
        found.append(Fact("leaderboard", (respondent,), "refusal_accuracy", refusals, f"{100 * refusals:.1f} %"))
        found.append(Fact("leaderboard", (respondent,), "answer_accuracy", answers, f"{100 * answers:.1f} %"))
    found.append(Fact("strata", ("Contradiction", "High"), "items", items, str(items)))
    for name, number in zip(("rejected", "rejected_by_verifiers"), lost, strict=True):
        found.append(Fact("strata", ("Contradiction", "High"), name, number, str(number)))
    for stage in ("generate", "verify", "respond"):
        grouped = f"{requests[stage]:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
        found.append(Fact("costs_by_stage", (stage,), "calls", requests[stage], grouped))
    return found


@pytest.fixture(scope="module")
def facts(rules_round: FinishedRound) -> list[Fact]:
    found = facts_of(rules_round)
    assert len(found) >= 20
    return found


def on_terminal(round_: FinishedRound) -> dict[str, str]:
    full = demur_here("rounds", round_.round_id, "--full", home=round_.home.root).stdout
    costs = demur_here("costs", round_.round_id, home=round_.home.root).stdout
    return {"leaderboard": full, "strata": full, "costs_by_stage": costs}


def on_card(round_: FinishedRound) -> dict[str, str]:
    card = (release_at(round_.home, round_.round_id).path / "README.md").read_text(encoding="utf-8")
    return {"leaderboard": card, "strata": card}


def in_artifact(round_: FinishedRound) -> dict[str, str]:
    with reading(round_.home) as con:
        markdown = round_markdown(round_.round_id, con, release_at(round_.home, round_.round_id))
    return dict.fromkeys(("leaderboard", "strata", "costs_by_stage"), markdown)


def on_board(round_: FinishedRound) -> dict[str, str]:
    return {"leaderboard": demur_here("evaluations", "board", home=round_.home.root).stdout}


def on_page_of_boards(round_: FinishedRound) -> dict[str, str]:
    with TemporaryDirectory() as folder:
        page = Path(folder) / "boards.html"
        demur_here("evaluations", "board", "--page", str(page), home=round_.home.root)
        return {"leaderboard": page.read_text("utf-8")}


def in_report(round_: FinishedRound) -> dict[str, str]:
    html = (release_at(round_.home, round_.round_id).path / "report.html").read_text("utf-8")
    return dict.fromkeys(("leaderboard", "strata", "costs_by_stage"), html)


def in_explorer(round_: FinishedRound) -> dict[str, str]:
    page = results_page(Snapshots(round_.home).current(), round_.home, round_.round_id)
    html = render(page.template, to, **page.context)
    return dict.fromkeys(("leaderboard", "strata", "costs_by_stage"), html)


@pytest.mark.parametrize(
    "place", [on_terminal, on_card, in_artifact, on_board, on_page_of_boards, in_report, in_explorer]
)
def test_twenty_numbers_are_the_same_in_every_place_that_people_look_at(
    rules_round: FinishedRound, facts: list[Fact], place: Callable[[FinishedRound], dict[str, str]]
) -> None:
    texts = place(rules_round)
    looked_for = [fact for fact in facts if fact.table in texts]
    assert len(looked_for) >= 16
    for fact in looked_for:
        rows = list(rows_about(texts[fact.table], fact.row))
        assert any(fact.said in row for row in rows), f"{place.__name__}: {fact} in none of {rows}"


def rows_about(text: str, about: Sequence[str]) -> Iterator[list[str]]:
    """Yield the cells of the rows that have all of these among their cells."""
    lines = re.findall(r"<tr>.*?</tr>", text, re.DOTALL) or text.splitlines()
    for line in lines:
        if line.startswith("<tr>"):
            cells = [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", line, re.DOTALL)]
        elif line.startswith("|"):
            cells = [re.sub(r"\\(.)", r"\1", cell.strip()) for cell in line.strip("|").split("|")]
        else:
            cells = re.split(r"\s{2,}", line.strip())
        if set(about) <= set(cells):
            yield cells


def test_twenty_raw_numbers_are_the_same_in_the_api_and_in_json(rules_round: FinishedRound, facts: list[Fact]) -> None:
    results = demur.open(rules_round.home.root, round_id=rules_round.round_id)
    printed = demur_here("rounds", rules_round.round_id, "--format", "json", home=rules_round.home.root)
    costs = demur_here("costs", rules_round.round_id, "--format", "json", home=rules_round.home.root)
    told: dict[str, Any] = {**json.loads(printed.stdout)["tables"], "costs_by_stage": json.loads(costs.stdout)["stage"]}
    framed: dict[str, Any] = {
        name: (results.leaderboard() if name == "leaderboard" else results.table(name)).to_dict("records")
        for name in {fact.table for fact in facts}
    }
    for fact in facts:
        for rows in (framed[fact.table], told[fact.table]):
            [row] = [row for row in rows if keyed(fact, row)]
            assert row[fact.column] == pytest.approx(fact.raw, abs=0.0005)


def keyed(fact: Fact, row: dict[str, Any]) -> bool:
    key = {"leaderboard": "respondent", "costs_by_stage": "stage"}.get(fact.table)
    found = [row["class"], row["intensity"]] if key is None else [row[key]]
    return found == (["P-Contradiction", "HIGH"] if key is None else list(fact.row))
