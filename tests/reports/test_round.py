import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from demur.levers.vocabulary import Code, Intensity, LeverClass
from demur.reports import names
from demur.reports.frames import ReportError
from demur.reports.round import RoundFrames, render_round
from tests.reports.pages import Page
from tests.reports.rounds import RESPONDENTS, empty_round, full_round, summary

HOSTILE = '</td><script>alert("1")</script><img src="http://evil.example/x" onerror=\'x\'>//cdn url(x) \x1b[2J\u202e'
ADDRESS = re.compile(r"https?:|//|url\(|@import|<script|<link|<iframe|<img|srcset", re.IGNORECASE)

NAMES = [name for name in RoundFrames.__dataclass_fields__ if name != "summary"]


@pytest.fixture(scope="module")
def full() -> str:
    return render_round(full_round())


@pytest.fixture(scope="module")
def page(full: str) -> Page:
    return Page(full)


def hostile(frame: pd.DataFrame) -> pd.DataFrame:
    """Put the hostile text behind every text of a frame, in lists too."""

    def worse(value: object) -> object:
        if isinstance(value, list):
            return [f"{text} {HOSTILE}" for text in value]
        return f"{value}{HOSTILE}" if isinstance(value, str) else value

    return frame.map(worse)


def test_page_of_a_full_round_holds_no_external_address(full: str) -> None:
    assert not ADDRESS.search(full)


def test_page_of_hostile_texts_holds_no_address_and_no_element_of_theirs() -> None:
    given = full_round()
    frames = {name: hostile(getattr(given, name)) for name in NAMES}
    models = [f"{name}{HOSTILE}" for name in RESPONDENTS]
    bad = summary(
        name=HOSTILE, release=HOSTILE, layout=HOSTILE, round_id=HOSTILE, respondents=models, rules_models=models
    )
    html = render_round(RoundFrames(summary=bad, **frames))
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
    assert len(ids) == len(set(ids))
    assert all(target.startswith("#") and target[1:] in ids for target in targets)
    assert not [element for element in page.elements if "src" in element.attributes]


def test_page_same_frames_give_the_same_bytes_in_another_process(full: str) -> None:
    code = (
        "import sys; from tests.reports.rounds import full_round; from demur.reports.round import render_round; "
        "sys.stdout.buffer.write(render_round(full_round()).encode())"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": "41", "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, check=True)
    assert done.stdout == full.encode()


def test_page_of_an_empty_round_says_what_is_missing() -> None:
    found = Page(render_round(empty_round()))
    assert not found.faults
    assert "There are no counts by stratum in this round." in found.section("coverage")
    assert "Nothing was asked in this round yet." in found.section("funnel")
    assert "No verifier has given a verdict in this round." in found.section("acceptance")
    assert "No respondent has been scored in this round." in found.section("leaderboard")
    assert "There are no scores by intensity in this round." in found.section("curves")
    assert "There are no judged responses in this round." in found.section("confusion")
    assert "there is no example to show" in found.section("examples")
    assert "No reward weights were fitted." in found.section("rewards")
    assert "No gate has run in this round." in found.section("gates")
    assert "Highest calibrated refusal score n/a" in found.section("headline")


def test_page_of_a_full_round_misses_nothing(page: Page) -> None:
    assert not [element.text for element in page.elements if element.attributes.get("class") == "nothing"]


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"fits", "rewards"}))
def test_page_without_one_frame_says_so_and_shows_the_others(name: str) -> None:
    given = {other: getattr(full_round(), other) for other in NAMES}
    found = Page(render_round(RoundFrames(summary=summary(), **{**given, name: pd.DataFrame()})))
    assert not found.faults
    assert len(found.all("h2")) == 18
    assert [element.text for element in found.elements if element.attributes.get("class") == "nothing"]


@pytest.mark.parametrize("name", ["fits", "rewards"])
def test_page_without_an_optional_frame_still_shows_the_weights(name: str) -> None:
    given = {other: getattr(full_round(), other) for other in NAMES}
    found = Page(render_round(RoundFrames(summary=summary(), **{**given, name: pd.DataFrame()})))
    assert not found.faults
    assert "States refusal code" in found.section("rewards")


def test_page_frame_without_a_column_is_an_error_that_names_it() -> None:
    frames = full_round()
    with pytest.raises(ReportError, match=r"RoundFrames\.strata: no column 'wanted'.*a report needs class, intensity"):
        render_round(replace(frames, strata=frames.strata.drop(columns="wanted")))


def test_comparisons_show_pairs_codes_noise_difficulty_and_factors(page: Page) -> None:
    said = "".join(page.section("compared").split())
    for shown in (
        "defect-spotter lexical-overlap 16.2 8.0 to 25.0 0.003 yes 11.0 196",
        "120 1.9 2.58 Other refusal 60.0 50.0–70.0 Non-factual 8.3 58.3",
        "5.8 90.0 rules-judge, other",
        "ambiguity.two-readings 70.0 50.0–90.0 8 32",
        "Refusal accuracy: dpo less sft (alignment)",
        "change per tenfold number of parameters −0.780 n/a fewer than 3 models 30",
    ):
        assert "".join(shown.split()) in said, shown
    labels = [str(element.attributes.get("aria-label")) for element in page.elements]
    assert any("defect-spotter at 7: 50.0 %" in label and "lexical-overlap at 70" in label for label in labels)


def test_leaderboard_undefined_score_is_not_available_with_its_reason(page: Page) -> None:
    row = next(e for e in page.all("tr") if "always-refuses" in e.text and "no rewards" in e.text)
    assert " ".join(row.text.split()).count("n/a no answerable items in this slice") == 2


def test_leaderboard_missing_responses_are_marked_incomplete() -> None:
    frames = full_round()
    board = frames.leaderboard.assign(responses=[100, 211, 211, 211])
    found = Page(render_round(replace(frames, leaderboard=board, summary=summary(responses_planned=211))))
    assert "INCOMPLETE, 733 of 844 responses" in found.section("headline")
    assert found.section("leaderboard").count("INCOMPLETE, 100 of 211") == 2


def test_leaderboard_complete_round_is_not_marked(page: Page) -> None:
    assert "INCOMPLETE" not in page.section("headline") + page.section("leaderboard")


def test_header_names_release_version_date_corpus_and_demur(page: Page) -> None:
    [header] = page.all("header")
    said = " ".join(header.text.split())
    assert said.endswith("Release embedded Version 3 Date 2026-11-20 Corpus harbours.jsonl demur 0.1.0")
    assert page.all("h1")[0].text == "embedded/3"


def test_header_of_a_round_without_a_release_says_so() -> None:
    open_round = replace(full_round(), summary=summary(release=""))
    [header] = Page(render_round(open_round)).all("header")
    assert "Release embedded Version not frozen yet" in " ".join(header.text.split())


def test_headline_of_rules_only_says_so(page: Page) -> None:
    assert "Rule baselines, not language models." in page.section("headline")


def test_headline_of_some_rules_names_them() -> None:
    some = replace(full_round(), summary=summary(rules_models=["lexical-overlap"]))
    told = Page(render_round(some)).section("headline")
    assert "Some models are rule baselines, not language models: lexical-overlap." in told


def test_headline_without_rules_says_nothing_of_them() -> None:
    none = replace(full_round(), summary=summary(rules_models=[]))
    assert "baseline" not in Page(render_round(none)).section("headline")


def test_coverage_short_stratum_is_told_in_words(page: Page) -> None:
    assert "7 of 12 7 accepted, 5 short" in page.section("coverage")
    assert "Strata filled 17 of 18" in page.section("headline")


def test_confusion_shares_are_of_the_row() -> None:
    rows = [("m", "j", "ANSWER_CORRECTLY", "ANSWER_ATTEMPT", 3), ("m", "j", "ANSWER_CORRECTLY", "REFUSE_OTHER", 1)]
    columns = ["respondent", "judge", "expected", "predicted", "responses"]
    frames = replace(empty_round(), confusion=pd.DataFrame(rows, columns=columns))
    assert "Answer 75 3 25 1 4" in Page(render_round(frames)).section("confusion")


def test_examples_differences_are_marked_in_words(page: Page) -> None:
    assert [e.text for e in page.all("del") if "built" in e.text] == ["was built in 1868 from", "built", "built"]
    assert "moved to the moon" in [e.text for e in page.all("ins")]


def test_examples_long_unchanged_stretch_is_cut_and_given_in_full() -> None:
    long = " ".join(f"word{number}" for number in range(300))
    one = full_round().examples.head(1).copy()
    one["original_passages"] = [[f"Built in 1868. {long}"]]
    one["passages"] = [[f"Built in 1871. {long}"]]
    found = Page(render_round(replace(empty_round(), examples=one)))
    assert [e.text.split() for e in found.all("span") if e.attributes.get("class") == "cut"] == [
        ["[", "270", "words", "unchanged", "]"]
    ]
    assert long in found.section("examples")


def test_page_headings_go_down_one_level_at_a_time(page: Page) -> None:
    levels = [int(element.tag[1]) for element in page.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))


def test_page_figures_have_a_label_and_tables_scroll_in_their_own_container(page: Page) -> None:
    assert not page.faults
    assert page.all("svg") and all(element.attributes.get("aria-label") for element in page.all("svg"))
    regions = [element for element in page.all("div") if element.attributes.get("class") == "scroll"]
    assert len(regions) == len(page.all("table"))
    assert all(
        element.attributes.get("aria-label") and element.attributes.get("tabindex") == "0" for element in regions
    )


def test_names_know_every_class_intensity_and_code() -> None:
    assert set(names.CLASSES) == set(LeverClass)
    assert set(names.INTENSITIES) == set(Intensity) == set(names.INTENSITY_NOTES)
    assert set(Code) <= set(names.CODES)


def test_names_explain_every_metric() -> None:
    from demur.scoring.metrics import METRIC_NAMES, ResponseKind

    assert set(METRIC_NAMES) <= set(names.METRICS) == set(names.METRIC_NOTES)
    assert set(ResponseKind) == set(names.KINDS) == set(names.KIND_NOTES)


def test_calibration_shows_a_diagram_and_the_levels_that_were_stated(page: Page) -> None:
    said = "".join(page.section("calibration").split())
    assert "Veryconfident95.070.060.0–80.060" in said
    assert "Uncertain40.045.020.0–70.012" in said
    labels = [str(element.attributes.get("aria-label")) for element in page.elements]
    [told] = [label for label in labels if label.startswith("Accuracy of defect-spotter by stated confidence")]
    assert "Very confident (95%): 70.0 % (95 % interval 60.0–80.0), 60" in told


def test_calibration_respondent_that_states_nothing_has_no_diagram() -> None:
    frames = full_round()
    silent = frames.calibration.assign(responses=0, accuracy=None)
    said = Page(render_round(replace(frames, calibration=silent))).section("calibration")
    assert "No respondent stated its confidence" in said


def test_trust_shows_pass_rates_beside_the_published_agreement_reach_and_drift(page: Page) -> None:
    shown = {
        "audit": (
            "Ambiguity 30 items 93.3 79.0–98.0 published 88.3",
            "Lever fidelity 96.7 79.0–98.0 30 2",
            "alpha, all readers +0.62 90.0 30",
            "kappa, Ada and Grace n/a one of the two never varies",
        ),
        "precision": ("27.7 31.6 3 rounds 6.1 5.2 24 196 1.8 109", "weekly-1 55.0 58.3 3.3 −4.0 to 11.0 0.37"),
    }
    for section, told in shown.items():
        said = "".join(page.section(section).split())
        for text in told:
            assert "".join(text.split()) in said, text


def test_rewards_by_part_stand_on_one_axis_and_errors_by_behaviour(page: Page) -> None:
    assert "Rules only: there are no base rewards" in page.section("rewards")
    frames = full_round()
    parts = [frames.rewards.assign(part=part, reward=frames.rewards["reward"] * size)
             for part, size in (("rules", 1.0), ("base", 0.2), ("total", 1.2))]  # fmt: skip
    said = Page(render_round(replace(frames, rewards=pd.concat(parts)))).section("rewards")
    at = [said.index(title) for title in ("Base reward only", "Base reward and rules", "Rules only")]
    assert at == sorted(at)
    assert "Selective refusal: answer 3.4 2.1 in the fit" in said


def test_domains_are_plotted_with_their_intervals(page: Page) -> None:
    assert "harbours 8 items 70.0 50.0–90.0" in page.section("compared")


def test_domain_of_one_source_question_is_not_drawn_as_certain() -> None:
    given = full_round()
    reason = "one source question: nothing to resample"
    alone = given.difficulty.assign(low=None, high=None, reason=reason)
    html = render_round(replace(given, difficulty=alone))
    assert f"harbours 8 items 70.0 {reason}" in Page(html).section("compared")
    assert html.count("dot hollow") > render_round(given).count("dot hollow")


def test_equal_headlines_name_all_who_share_them() -> None:
    given = full_round()
    one = given.leaderboard.iloc[0]
    other = one.to_dict() | {"respondent": "zz-equal"}
    board = pd.concat([given.leaderboard, pd.DataFrame([other])], ignore_index=True)
    equal = board["respondent"].isin([one["respondent"], "zz-equal"])
    board["calibrated_refusal_score"] = equal.map({True: one["calibrated_refusal_score"], False: 0.0})
    assert f"{one['respondent']}, zz-equal" in Page(render_round(replace(given, leaderboard=board))).section("headline")


def test_page_says_that_a_round_is_saturated_and_which_strata_have_room(full: str) -> None:
    section = full[full.index('id="hardness"') : full.index('id="calibration"')]
    assert "<strong>Saturated.</strong> The interval of the best respondent, defect-spotter, reaches 95 %" in section
    assert "Of single strata, 1 of 2 have room above their best respondent: P-Ambiguity, HIGH." in section


def test_page_of_a_round_with_room_above_the_best_says_so() -> None:
    given = full_round()
    html = render_round(replace(given, saturated=given.saturated.assign(is_saturated=False, crs_high=0.9)))
    assert "this round has room for better ones." in html and "Saturated." not in html
