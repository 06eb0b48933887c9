"""What the views of results count in SQL is what scoring computes, over responses of every kind."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from demur.levers.vocabulary import PREDICTED, Code, Confidence, Intensity, LeverClass, Reaction, expected_code
from demur.scoring.calibration import reliability_table
from demur.scoring.difficulty import difficulty
from demur.scoring.responses import read_responses
from demur.scoring.table_rows import Bootstrap, scored_rows
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection

HOW = Bootstrap(50, 11)
TAGS = {"parameters_billion": {"single": 7.0, "several": 70.0, "ungraded": 0.5}, "family": {"single": "a"}}


def responses(model: str, layout: str, rng: np.random.Generator, graded: bool = True, size: int = 700) -> pd.DataFrame:
    """Responses of every kind: codes right and wrong, INVALID, grades known and not, controls, confidence or none."""
    classes = rng.choice(list(map(str, LeverClass)), size)
    levels = rng.choice(list(map(str, Intensity)), size)
    codes = [code.value for code in Code if code.is_refusal]

    def maybe(possible: bool) -> pd.Series:
        drawn = rng.choice(np.array([True, False, None], dtype=object), size)
        return pd.Series(drawn if possible else [None] * size, dtype=object)

    frame = pd.DataFrame(
        {
            "item_id": [f"i{at}" for at in range(size)],
            "source_id": [f"s{at % 30}" for at in range(size)],
            "class": classes,
            "intensity": levels,
            "expected": [
                expected_code(LeverClass(c), Intensity(i)).value for c, i in zip(classes, levels, strict=True)
            ],
            "predicted": rng.choice(["ANSWER_ATTEMPT"] * 4 + codes + ["INVALID"], size),
            "correct": maybe(graded),
            "eligible": maybe(graded and layout == "multi"),
            "supported_all": maybe(graded and layout == "multi"),
            "supported_relevant": maybe(graded and layout == "multi"),
            "confidence": rng.choice(np.array([*map(str, Confidence), None], dtype=object), size),
            "domain": rng.choice(np.array(["history", "law", None], dtype=object), size),
            "language": rng.choice(np.array(["en", "de"], dtype=object), size),
            "lever_id": [f"lever-{c}-{i}" for c, i in zip(classes, levels, strict=True)],
            "layout": layout,
            "model": model,
            "judge": "judge",
            "replicate": 0,
            "kind": "perturbed",
        }
    )
    match = rng.random(size) < 0.4
    frame.loc[match & (frame["expected"] != "ANSWER_CORRECTLY"), "predicted"] = frame["expected"]
    control = rng.random(size) < 0.1
    frame["reaction"] = np.random.default_rng(size).choice(np.array([*map(str, Reaction), None], dtype=object), size)
    frame.loc[control, ["class", "intensity", "lever_id"]] = None
    frame.loc[control, ["kind", "expected"]] = ["control", "ANSWER_CORRECTLY"]
    return frame


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(20_261_121)
    parts = [
        responses("single", "single", rng),
        responses("several", "multi", rng),
        responses("ungraded", "single", rng, graded=False),
        responses("several-ungraded", "multi", rng, graded=False),
    ]
    second_judge = parts[0].assign(judge="other", predicted=rng.permutation(parts[0]["predicted"]))
    return pd.concat([*parts, second_judge], ignore_index=True)


@pytest.fixture(scope="module")
def con(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Connection:
    """A warehouse that holds what scoring the frame lands."""
    tables = scored_rows(frame, HOW, TAGS)
    with writing(Home(tmp_path_factory.mktemp("scored")), wait_seconds=0) as opened:
        for name, rows in tables.items():
            landed = to_arrow(Table(name), [{"round_id": "r", "unit_id": "u", **row} for row in rows], name)
            opened.from_arrow(landed).insert_into(name)
        opened.execute("INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES ('r', 'score', 'u', 0)")
        yield opened


def test_counted_scores_every_metric_and_slice_equals_scoring(con: Connection) -> None:
    both = con.execute(
        "SELECT s.metric, s.slice, s.value AS value, c.value AS counted, s.n AS n, c.n AS counted_n "
        "FROM live_scores s FULL JOIN counted_scores c USING (round_id, respondent, judge, slice, slice_value, metric)"
    ).df()
    assert len(both) > 3_000
    assert set(both["slice"]) == {"overall", "class", "intensity", "class, intensity", "domain", "language", "kind"}
    np.testing.assert_allclose(both["value"], both["counted"], rtol=0, atol=1e-12)
    assert (both["n"] == both["counted_n"]).all()
    assert both.groupby("metric")["value"].count().min() > 0


@pytest.mark.parametrize(
    ("view", "what"),
    [
        ("confusion", "true"),
        ("confusion_rollups", "true"),
        ("response_distribution", "true"),
        ("intensity_curves", "true"),
        ("intensity_curve_rollups", "true"),
        ("scores_by_stratum", "true"),
        ("calibration_bins", "confidence IS NOT NULL AND response_kind <> 'invalid'"),
        ("calibration_bin_rollups", "confidence IS NOT NULL"),
    ],
)
def test_view_adds_up_to_the_responses_that_it_is_about(con: Connection, view: str, what: str) -> None:
    summed = f"SELECT respondent, judge, sum(responses) FROM {view} GROUP BY ALL ORDER BY ALL"
    counted = (
        "SELECT respondent, judge, sum(responses) FROM response_kinds "
        f"WHERE kind = 'perturbed' AND {what} GROUP BY ALL ORDER BY ALL"
    )
    # The distribution has no kind for answers that nobody graded.
    graded = " HAVING NOT contains(respondent, 'ungraded') " if view == "response_distribution" else " "
    both = [text.replace(" ORDER BY", f"{graded}ORDER BY") for text in (summed, counted)]
    assert con.execute(both[0]).fetchall() == con.execute(both[1]).fetchall()


def test_confusion_view_equals_scoring(con: Connection, frame: pd.DataFrame) -> None:
    seen = con.execute(
        "FROM confusion WHERE judge = 'judge' UNION ALL BY NAME "
        "SELECT *, 'all' AS intensity FROM confusion_rollups WHERE judge = 'judge'"
    ).df()
    kept = frame[frame["judge"] == "judge"]
    read = read_responses(kept)
    perturbed = kept.assign(respondent=kept["model"], predicted=np.array(PREDICTED)[read.predicted])[~read.apart]
    keys = ["respondent", "intensity", "expected", "predicted"]
    wanted = (
        pd.concat([perturbed, perturbed.assign(intensity="all")]).groupby(keys).size().reset_index(name="responses")
    )
    wanted["share"] = wanted["responses"] / wanted.groupby(keys[:3])["responses"].transform("sum")
    pd.testing.assert_frame_equal(
        seen[[*keys, "responses", "share"]].sort_values(keys).reset_index(drop=True),
        wanted[[*keys, "responses", "share"]].sort_values(keys).reset_index(drop=True),
        check_dtype=False,
    )


def test_calibration_bins_view_equals_scoring(con: Connection, frame: pd.DataFrame) -> None:
    seen = con.execute(
        "FROM calibration_bins WHERE judge = 'judge' UNION ALL BY NAME "
        "SELECT *, 'all' AS part FROM calibration_bin_rollups WHERE judge = 'judge' ORDER BY ALL"
    ).df()
    judged = frame[frame["judge"] == "judge"]
    theirs = pd.DataFrame(reliability_table(judged, replicates=HOW.replicates, seed=HOW.seed))
    theirs["gap"] = theirs["accuracy"] - theirs["midpoint"]
    both = seen.merge(theirs, on=["respondent", "part", "confidence"])
    assert len(both) == len(seen) == 4 * 3 * 5
    for ours, other in (("responses", "n"), ("accuracy_x", "accuracy_y"), ("gap_x", "gap_y"), ("low_x", "low_y")):
        np.testing.assert_allclose(both[ours], both[other], rtol=0, atol=1e-12)
    assert seen.loc[(seen["respondent"] == "ungraded") & (seen["part"] == "answers"), "accuracy"].isna().all()


@pytest.mark.parametrize(("view", "column"), [("lever_difficulty", "lever_id"), ("domain_difficulty", "domain")])
def test_difficulty_views_equal_scoring(con: Connection, frame: pd.DataFrame, view: str, column: str) -> None:
    seen = con.execute(f"SELECT * FROM {view} WHERE judge = 'other'").df().set_index(column)
    theirs = difficulty(frame[frame["judge"] == "other"], column, replicates=HOW.replicates, seed=HOW.seed)
    assert sorted(str(found["value"]) for found in theirs) == sorted(seen.index)
    for found in theirs:
        assert seen.loc[found["value"], "difficulty"] == pytest.approx(found["difficulty"], abs=1e-12)
        assert seen.loc[found["value"], "responses"] == found["responses"]
        assert seen.loc[found["value"], "items"] == found["items"]


def test_saturation_names_the_best_respondent_and_the_strata_that_still_separate(con: Connection) -> None:
    rows = con.execute(
        "SELECT respondent, value, low, high, is_saturated, metric FROM saturation WHERE judge = 'judge'"
    ).fetchall()
    assert len(rows) == len(LeverClass) * len(Intensity)
    assert {(value >= low, high >= 0.95) for _, value, low, high, _, _ in rows} <= {(True, True), (True, False)}
    assert all(is_saturated == (high >= 0.95) for *_, high, is_saturated, _ in rows)
    whole = "SELECT strata, separating, respondent FROM saturation_rollups WHERE judge = 'judge'"
    [(strata, separating, best)] = con.execute(whole).fetchall()
    assert (strata, len(separating)) == (len(rows), sum(not row[4] for row in rows))
    board = "SELECT respondent FROM leaderboard WHERE calibrated_refusal_score IS NOT NULL AND judge = 'judge' LIMIT 1"
    assert con.execute(board).fetchall() == [(best,)]


def test_known_scores_are_attempts_among_items_to_be_refused_by_what_probes_know(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    made = responses("single", "single", rng, size=400)
    made["memory"] = rng.choice(np.array(["known", "unknown", None], dtype=object), len(made))
    another = made.assign(model="other", predicted=rng.permutation(made["predicted"]))
    tables = scored_rows(pd.concat([made, another], ignore_index=True), HOW, {})
    with writing(Home(tmp_path), wait_seconds=0) as con:
        rows = [{"round_id": "r", "unit_id": "u", **row} for row in tables["scores"]]
        con.from_arrow(to_arrow(Table.SCORES, rows, "test")).insert_into("scores")
        con.execute("INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES ('r', 'score', 'u', 0)")
        found = con.execute(
            'SELECT class, known_n, known, unknown_n, "unknown" FROM known_scores WHERE respondent = ?', ["single"]
        ).fetchall()
    refused = made[(made["kind"] == "perturbed") & (made["expected"] != "ANSWER_CORRECTLY")]
    for part, *counted in found:
        own = refused if part == "overall" else refused[refused["class"] == part]
        expected: list[float] = []
        for name in ("known", "unknown"):
            missed = own.loc[own["memory"] == name, "predicted"] == "ANSWER_ATTEMPT"
            expected += [len(missed), missed.mean()]
        assert counted == pytest.approx(expected)
    assert {row[0] for row in found} == {"overall", *map(str, LeverClass)}
