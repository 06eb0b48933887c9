"""The page of weights fitted to a file: what it shows of train and held-out prompts, and that texts stay texts."""

from typing import Any

import pandas as pd

from demur.reports.content.fits import render_fitted
from tests.reports.pages import Page
from tests.reports.rounds import full_round
from tests.reports.test_report import ADDRESS, HOSTILE, hostile

PARTS = ("base", "total", "total_held_out", "rules", "rules_held_out")


def page(base: bool = True) -> dict[str, Any]:
    frames = full_round()
    fits, rewards = frames["fits"].assign(grader=None), frames["rewards"]
    if base:
        fits = fits.assign(
            base_only_error_train=0.31, base_only_error_held_out=0.32, rules_only_error_train=0.05,
            rules_only_error_held_out=0.06,
        )  # fmt: skip
        rewards = pd.concat([rewards.assign(part=part) for part in PARTS])
    frames = {"weights": frames["weights"], "fits": fits, "rewards": rewards}
    return {"title": "Reward weights of mine.jsonl", "facts": [("Seed", "0")], "notes": ["answer: a note"], **frames}


def test_page_of_fits_shows_every_part_of_the_reward_on_train_and_held_out_prompts() -> None:
    found = Page(render_fitted(**page()))
    assert not found.faults
    said = found.section("rewards")
    order = [said.index(f"by label: {title} ") for title in (
        "base reward only", "base reward and rules", "base reward and rules, held-out prompts", "rules only",
        "rules only, held-out prompts",
    )]  # fmt: skip
    assert order == sorted(order)
    for told in (
        "base reward only 32.0 % on held-out prompts, 31.0 % in the fit;",
        "base reward and rules 3.4 % on held-out prompts, 2.1 % in the fit;",
        "rules only 6.0 % on held-out prompts, 5.0 % in the fit.",
    ):
        assert told in said, told
    assert "Graded by" not in said
    assert "answer: a note." in found.all("main")[0].text


def test_page_of_fits_without_base_rewards_shows_rules_only() -> None:
    said = Page(render_fitted(**page(base=False))).section("rewards")
    assert "Rules only: there are no base rewards." in said
    assert "Base reward" not in said
    assert "3.4 % on held-out prompts, 2.1 % in the fit" in said


def test_page_of_fits_of_hostile_texts_holds_no_address_and_no_element_of_theirs() -> None:
    given = page()
    frames = {name: hostile(given[name]) for name in ("weights", "fits", "rewards")}
    html = render_fitted(HOSTILE, [(HOSTILE, HOSTILE)], [HOSTILE], **frames)
    found = Page(html)
    assert not found.faults
    assert not found.all("script", "img", "iframe", "link", "object", "embed", "form", "base")
    assert not ADDRESS.search(html)
    assert "\x1b" not in html and "\u202e" not in html
