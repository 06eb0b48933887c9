"""The page of weights fitted to a file: texts stay texts."""

import pandas as pd

from demur.reports.reward_fits import render_fitted
from tests.reports.pages import Page
from tests.reports.rounds import full_round
from tests.reports.test_report import ADDRESS, HOSTILE, hostile

PARTS = ("base", "total", "total_held_out", "rules", "rules_held_out")


def test_page_of_fits_of_hostile_texts_holds_no_address_and_no_element_of_theirs() -> None:
    given = full_round()
    given["fits"] = given["fits"].assign(
        grader=None, base_only_error_train=0.31, base_only_error_held_out=0.32, rules_only_error_train=0.05,
        rules_only_error_held_out=0.06,
    )  # fmt: skip
    given["rewards"] = pd.concat([given["rewards"].assign(part=part) for part in PARTS])
    frames = {name: hostile(given[name]) for name in ("weights", "fits", "rewards")}
    html = render_fitted(HOSTILE, [(HOSTILE, HOSTILE)], [HOSTILE], **frames)
    found = Page(html)
    assert not found.faults
    assert not found.all("script", "img", "iframe", "link", "object", "embed", "form", "base")
    assert not ADDRESS.search(html)
    assert "\x1b" not in html and "\u202e" not in html
