import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from demur.reports import names
from demur.reports.round_report.page import render_report
from demur.reports.round_report.topics import TOPICS, explained
from tests.reports.pages import Page
from tests.reports.rounds import (
    Frames,
    empty_report,
    facts,
    full_report,
    full_round,
    overview_row,
    report_of,
)

HOSTILE = '</td><script>alert("1")</script><img src="http://evil.example/x" onerror=\'x\'>//cdn url(x) \x1b[2J\u202e'
ADDRESS = re.compile(r"https?:|//|url\(|@import|<script|<link|<iframe|<img|srcset", re.IGNORECASE)


@pytest.fixture(scope="module")
def full() -> str:
    return render_report(full_report())


@pytest.fixture(scope="module")
def page(full: str) -> Page:
    return Page(full)


def hostile(frame: pd.DataFrame) -> pd.DataFrame:
    """Put the hostile text behind every text of a frame, in lists and structures too."""

    def worse(value: object) -> object:
        if isinstance(value, list):
            return [worse(one) for one in value]
        if isinstance(value, dict):
            return {name: worse(one) for name, one in value.items()}
        return f"{value}{HOSTILE}" if isinstance(value, str) else value

    return frame.map(worse)


def said(frames: Frames, section: str, **changes: object) -> str:
    """Return the text of a section of the report of these rows."""
    return Page(render_report(full_report(frames, **changes))).section(section)


def test_page_of_hostile_texts_holds_no_address_and_no_element_of_theirs() -> None:
    given = full_round()
    frames = {name: hostile(frame) for name, frame in given.items() if name != "overview"}
    bad = overview_row(**{
        name: HOSTILE for name in ("name", "layout", "round_id")
    }, generators=[HOSTILE], verifiers=[HOSTILE], judges=[HOSTILE])  # fmt: skip
    recorded = [{"model": HOSTILE, "replies": 1, "earlier_prompts": 1, "answered_by": HOSTILE, "note": HOSTILE,
                 "first": HOSTILE, "last": HOSTILE}]  # fmt: skip
    claims = {name: {"state": HOSTILE, "why": HOSTILE} for name in ("audit", "calibration")}
    fact = facts(title=HOSTILE, release=HOSTILE, corpus=HOSTILE, recorded=recorded, said=claims)
    html = render_report(report_of({**frames, "overview": pd.DataFrame([bad])}, fact))
    found = Page(html)
    assert not ADDRESS.search(html)
    assert not found.faults
    assert not found.all("script", "img", "iframe", "link", "object", "embed", "form", "base")
    assert not [element for element in found.elements if any(name.startswith("on") for name in element.attributes)]
    assert "\x1b" not in html and "\u202e" not in html
    assert 'alert("1")' in found.section("examples")


def test_page_links_lead_to_its_own_parts_only(page: Page) -> None:
    targets = [element.attributes["href"] for element in page.elements if "href" in element.attributes]
    ids = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    assert targets and len(ids) == len(set(ids))
    assert all(target.startswith("#") and target[1:] in ids for target in targets)
    assert not [element for element in page.elements if "src" in element.attributes]


def test_page_same_rows_give_the_same_bytes_in_another_process(full: str) -> None:
    code = (
        "import sys; from tests.reports.rounds import full_report; "
        "from demur.reports.round_report.page import render_report; "
        "sys.stdout.buffer.write(render_report(full_report()).encode())"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": "41", "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, check=True)
    assert done.stdout == full.encode()


def test_best_of_overlapping_intervals_is_not_said_to_be_best_for_sure() -> None:
    frames = full_round()
    board = frames["leaderboard"].assign(crs_low=0.1, crs_high=0.9)
    answers = said({**frames, "leaderboard": board}, "answers")
    assert "scores highest, but intervals overlap" in answers and "did best" not in answers


def test_respondents_of_one_stand_in_are_said_to_be_one_kind_of_model() -> None:
    sources = {"a": "a model, as a stand-in", "b": "a model, as a stand-in", "c": "small.gguf"}
    one, other, real = ({"model": name, "answered_by": source} for name, source in sources.items())
    assert explained([one, other, real]).endswith("; ‘a’ and ‘b’ are one kind of model, each asked alone)")
    assert explained([one, real]).endswith("in place of one behind an API)") and explained([real]) == ""


def test_missing_judgements_are_marked_incomplete() -> None:
    frames = full_round()
    board = frames["leaderboard"].assign(judged=[7, 220, 220, 220], planned=220)
    found = Page(render_report(full_report({**frames, "leaderboard": board})))
    assert "INCOMPLETE: 7 of 220 responses are judged so far." in found.section("answers")
    assert "INCOMPLETE, 7 of 220" in found.section("how-well")
    assert "INCOMPLETE, 220 of 220" not in found.section("how-well")


def test_page_of_an_empty_round_says_what_is_missing() -> None:
    found = Page(render_report(empty_report()))
    assert not found.faults
    answers = found.section("answers")
    for told in ("No question is ready yet.", "Nothing is scored yet.", "Not known without responses."):
        assert told in answers, told
    assert "Not frozen yet" in found.all("main")[0].text
    assert "This round has nothing on: All scores and their precision; " in found.section("more")


def test_round_that_nobody_answered_shows_its_items_and_what_was_lost() -> None:
    frames = full_round()
    answered = ("leaderboard", "kinds", "intensities", "recognised", "confusion")
    items = frames["telling_items"].assign(replies=None)
    html = render_report(full_report({**{name: frame for name, frame in frames.items() if name not in answered},
                                      "telling_items": items}))  # fmt: skip
    found = Page(html)
    assert not found.faults
    assert "Nobody was asked yet." in found.section("answers")
    assert len([one for one in found.all("aside") if one.attributes.get("class") == "example-card"]) == 2
    assert "Short of" in found.section("funnel")


@pytest.mark.parametrize("part", range(5))
def test_page_without_a_fifth_of_its_tables_says_so_and_shows_the_others(part: int) -> None:
    frames = full_round()
    names = sorted(set(frames) - {"overview", "rewards", "fits", "weights"})
    frames |= {name: pd.DataFrame() for name in names[part::5]}
    found = Page(render_report(full_report(frames)))
    assert not found.faults
    assert len(found.all("h2")) == 5
    told = found.section("more")
    assert all(f"{topic.title} " in told or topic.title in told.partition("nothing on:")[2] for topic in TOPICS)


def test_examples_long_unchanged_stretch_is_cut_and_given_in_full() -> None:
    long = " ".join(f"word{number}" for number in range(300))
    one = full_round()["telling_items"].head(1).copy()
    one["original_passages"] = [[f"Built in 1868. {long}"]]
    one["passages"] = [[f"Built in 1871. {long}"]]
    found = Page(render_report(full_report({**full_round(), "telling_items": one})))
    cuts = [e.text.split() for e in found.all("span") if e.attributes.get("class") == "cut"]
    assert ["[", "270", "words", "unchanged", "]"] in cuts
    assert long in found.section("examples")


def recorded_by(giver: str, *models: str) -> list[dict[str, object]]:
    """Return a manifest's account of the recorded replies of these models, all given on one day."""
    same = {"replies": 10, "earlier_prompts": 0, "answered_by": giver, "note": "1 January 2026"}
    return [{"model": name, **same, "first": "2026-01-01", "last": "2026-01-01"} for name in models]


def test_one_model_as_judge_and_respondent_is_told_to_share_blind_spots() -> None:
    names_of = ("rules-judge", "defect-spotter")
    frames = full_round()
    shared = said(frames, "answers", recorded=recorded_by("a model", *names_of))
    assert "Judge and respondents were one model in all these roles" in shared
    assert "were given on 1 January 2026 by a model" in said(frames, "believe", recorded=recorded_by("a model", "x"))
    apart = [*recorded_by("a model", "rules-judge"), *recorded_by("another", "defect-spotter")]
    assert "blind spots" not in said(frames, "answers", recorded=apart)


def test_report_of_a_release_gives_the_command_that_asks_another_model_the_same() -> None:
    answers = said(full_round(), "answers", release="embedded/1")
    assert "demur evaluate embedded/1 --model mine=PROVIDER:MODEL" in answers
    assert "demur evaluate" not in said(full_round(), "answers", release=None)


def test_names_explain_every_metric() -> None:
    from demur.scoring.metrics import METRIC_NAMES, ResponseKind

    assert set(METRIC_NAMES) <= set(names.METRICS) == set(names.METRIC_NOTES)
    assert set(ResponseKind) == set(names.KINDS)
