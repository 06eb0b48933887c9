"""What a report says of verification: matched cells, self-preference, agreement, the cost of stopping early."""

from dataclasses import replace

import pandas as pd

from demur.reports.round import render_round
from tests.reports.rounds import VERIFIERS, empty_round, full_round


def test_report_shows_bias_agreement_and_cost_of_stopping() -> None:
    page = render_round(full_round())
    assert "4 of 5: a base instance" in page
    assert "2.0 to 18.0" in page
    assert f"{VERIFIERS[0]} gives one verdict only" in page
    assert "2.6" in page


def test_report_of_a_round_without_verdicts_says_so() -> None:
    assert "No verdicts have been counted" in render_round(empty_round())


def test_report_says_of_which_candidates_statistics_speak() -> None:
    frames = full_round()
    stopped = frames.stopping.assign(remark="asking ended early")
    assert "Note: asking ended early" in render_round(replace(frames, stopping=stopped))


def test_report_of_an_evaluation_that_stopped_says_incomplete_with_judged_and_planned() -> None:
    frames = full_round()
    board = frames.leaderboard.assign(judged=[7, *[220] * (len(frames.leaderboard) - 1)], planned=220)
    page = render_round(replace(frames, leaderboard=board))
    assert "INCOMPLETE, 7 of 220" in page
    assert "INCOMPLETE, 220 of 220" not in page
    assert isinstance(board, pd.DataFrame)
