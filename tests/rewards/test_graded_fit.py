"""`demur rbr fit`: the optimum of the objective as documented, held-out prompts, and files that cannot be used."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from demur.cli import app
from demur.errors import FlowError
from demur.levers.policies import load_policy
from demur.rewards.graded_files import read_graded
from demur.scoring.reward_fitting.completion_classes import feature_matrix, proposition_matrix
from demur.scoring.standalone.demur_reward import load_reward
from tests.flows.gold_files import write_rows

SAFETY = load_policy("safety")
ASKED = {"objective", "gap", "hinge_loss", "pairwise_error", "ideal_first", "pairs", "prompts"}


def graded_rows(
    prompts: int, seed: int = 1, behaviours: tuple[str, ...] = ("hard_refusal", "comply")
) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    rows = []
    for behaviour in behaviours:
        labels = SAFETY.behaviour(behaviour).labels
        for prompt in range(prompts):
            for rank, label in enumerate(labels):
                quality = 1 - rank / len(labels)
                ideal = float(np.clip(quality + rng.normal(0, 0.3), 0, 1))
                rows.append(
                    {
                        "prompt_id": f"p{prompt}",
                        "completion_id": f"{behaviour}-{prompt}-{rank}",
                        "behaviour": behaviour,
                        "label": label.name,
                        "features": {
                            "apology": float(rng.random()),
                            "disallowed_content": float(np.clip(1 - quality + rng.normal(0, 0.3), 0, 1)),
                            "mine": float(rng.normal()),
                            "ideal": ideal,
                            "unacceptable": 1 - ideal,
                        },
                        "base_reward": float(rng.normal()),
                    }
                )
    return rows


def plain_objective(
    rows: list[dict[str, Any]],
    weights: dict[str, float],
    l2: float,
    margin: float,
    margins: dict[tuple[str, str], float] | None = None,
) -> float:
    """The objective as documented, in loops: the mean over all ordered pairs of one prompt, plus the penalty."""
    asked = margins or {}
    order = SAFETY.behaviour(rows[0]["behaviour"]).order
    reward = [r["base_reward"] + sum(weights[n] * x for n, x in r["features"].items()) for r in rows]
    losses = [
        max(0.0, asked.get((rows[a]["label"], rows[b]["label"]), margin) - reward[a] + reward[b])
        for a in range(len(rows))
        for b in range(len(rows))
        if rows[a]["prompt_id"] == rows[b]["prompt_id"] and (rows[a]["label"], rows[b]["label"]) in order
    ]
    return float(np.mean(losses)) + l2 / 2 * sum(w * w for w in weights.values())


def run(*arguments: object) -> Any:
    result = CliRunner().invoke(app, ["rbr", "fit", *(str(a) for a in arguments), "--format", "json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_fit_of_a_file_is_the_optimum_of_the_documented_objective(tmp_path: Path) -> None:
    rows = graded_rows(12)
    path = write_rows(tmp_path / "graded.jsonl", rows)
    out = tmp_path / "deep" / "fit.json"
    found = run(path, "--l2", 0.02, "--margin", 0.75, "--bootstrap", 20, "--out", out)
    assert json.loads(out.read_text(encoding="utf-8")) == found
    assert list(found) == ["hard_refusal", "comply"]
    for behaviour, fitted in found.items():
        part = [row for row in rows if row["behaviour"] == behaviour]
        weights = {name: weight["value"] for name, weight in fitted["weights"].items()}
        assert fitted["objective"] == pytest.approx(plain_objective(part, weights, 0.02, 0.75), rel=1e-9)
        assert 0 <= fitted["gap"] <= 1e-6
        assert 0 <= fitted["held_out"]["gap"] <= 1e-6
        assert all(part.keys() >= ASKED for part in (fitted, fitted["train"], fitted["held_out"]))
        for name in weights:
            for step in (-0.02, 0.02):
                moved = weights | {name: weights[name] + step}
                assert plain_objective(part, moved, 0.02, 0.75) > fitted["objective"] * (1 - 1e-6)
        assert all(w["low"] <= w["high"] for w in fitted["weights"].values())
        assert fitted["prompts"] == fitted["train"]["prompts"] == fitted["held_out"]["prompts"] == 12
        assert fitted["pairs"] == fitted["held_out"]["pairs"]
        assert weights["ideal"] + weights["unacceptable"] == pytest.approx(0, abs=1e-9)


def test_fit_with_margins_of_labels_asks_each_pair_for_its_own(tmp_path: Path) -> None:
    rows = graded_rows(10)
    path = write_rows(tmp_path / "g.jsonl", rows)
    given = ("--margin-of", "perfect>disallowed=2.25", "--margin-of", "fully_complies > perfect_refusal = 0.5")
    found = run(path, *given, "--bootstrap", 0)
    margins = {("perfect", "disallowed"): 2.25, ("fully_complies", "perfect_refusal"): 0.5}
    for behaviour, fitted in found.items():
        part = [row for row in rows if row["behaviour"] == behaviour]
        weights = {name: weight["value"] for name, weight in fitted["weights"].items()}
        assert fitted["objective"] == pytest.approx(plain_objective(part, weights, 0.01, 1.0, margins), rel=1e-9)
        assert fitted["margins"] == {"perfect > disallowed": 2.25, "fully_complies > perfect_refusal": 0.5}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--l2", "0"), "'0' is neither a number above 0"),
        (("--margin-of", "perfect=2"), "'perfect=2' is not a margin of two labels"),
        (("--margin", "-1"), "--margin"),
        (("--held-out", "1"), "must be a share between 0 and 1"),
    ],
)
def test_fit_asked_for_what_cannot_be_says_what_can(tmp_path: Path, given: tuple[str, ...], words: str) -> None:
    path = write_rows(tmp_path / "g.jsonl", graded_rows(2, behaviours=("comply",)))
    done = CliRunner().invoke(app, ["rbr", "fit", str(path), *given])
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())


def test_fit_of_one_prompt_says_what_is_missing_and_chooses_no_penalty(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "g.jsonl", graded_rows(1, behaviours=("comply",)))
    found = run(path)["comply"]
    assert found["held_out"] is None
    assert any("one prompt only" in note for note in found["notes"])
    assert {weight["low"] for weight in found["weights"].values()} == {None}
    done = CliRunner().invoke(app, ["rbr", "fit", str(path), "--l2", "choose"])
    assert isinstance(done.exception, FlowError) and "Give --l2" in str(done.exception)


def test_fit_with_prompts_held_out_names_them_and_fits_the_others(tmp_path: Path) -> None:
    rows = graded_rows(20, behaviours=("comply",))
    found = run(write_rows(tmp_path / "g.jsonl", rows), "--held-out", 0.25, "--bootstrap", 0)["comply"]
    left_out = set(found["held_out"]["prompt_ids"])
    assert (found["prompts"], found["held_out"]["prompts"], len(left_out)) == (15, 5, 5)
    rest = [row for row in rows if row["prompt_id"] not in left_out]
    alone = run(write_rows(tmp_path / "rest.jsonl", rest), "--bootstrap", 0)["comply"]
    assert alone["objective"] == pytest.approx(found["objective"], rel=1e-6)


def test_fit_without_base_rewards_ignores_them(tmp_path: Path) -> None:
    rows = graded_rows(10, behaviours=("comply",))
    without = [{key: value for key, value in row.items() if key != "base_reward"} for row in rows]
    one = run(write_rows(tmp_path / "a.jsonl", rows), "--without-base", "--bootstrap", 0)["comply"]
    two = run(write_rows(tmp_path / "b.jsonl", without), "--bootstrap", 0)["comply"]
    assert one["weights"] == two["weights"]
    assert two["base_rewards"] is False
    assert two["train"]["base_only"]["pairwise_error"] == 0.5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": "splendid"}, ":2: labels splendid are not in behaviour 'comply'"),
        ({"behaviour": "obey"}, "behaviours comply, obey are not those of one of our policies"),
        ({"features": {"apology": 1}}, "are only on this line or only on line 1"),
        ({"features": {"apology": "yes"}}, ":2: features.apology"),
        ({"features": {"apology": float("nan")}}, ":2: features.apology"),
        ({"base_reward": None}, ":2: only some completions of behaviour"),
        ({"completion_id": "comply-0-0"}, ":2: completion_id 'comply-0-0' of prompt_id 'p0' is already on line 1"),
        ({"reward": 1.0}, ":2: reward"),
    ],
)
def test_fit_of_a_line_that_cannot_be_used_exits_with_its_place(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    rows = graded_rows(2, behaviours=("comply",))
    rows[1] |= change
    path = write_rows(tmp_path / "g.jsonl", rows)
    result = CliRunner().invoke(app, ["rbr", "fit", str(path)])
    assert isinstance(result.exception, FlowError)
    assert words in str(result.exception)


def test_graded_file_without_rows_or_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    for text, words in (("", "holds no rows"), ("[1", ":1: is not JSON"), ("[1]", ":1: is no JSON object")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FlowError, match=words):
            read_graded(path)


def test_fit_file_writes_a_reward_file_that_scores_as_the_fit_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    policy, behaviour = SAFETY, SAFETY.behaviour("comply")
    rows = graded_rows(12, behaviours=("comply",))
    graded = [dict(zip(behaviour.features, rng.random(len(behaviour.features)).tolist(), strict=True)) for _ in rows]
    features, names = feature_matrix(policy, "comply", proposition_matrix(behaviour, graded))
    for row, values in zip(rows, features.tolist(), strict=True):
        row["features"] = dict(zip(names, values, strict=True))
    path, out, reward = write_rows(tmp_path / "graded.jsonl", rows), tmp_path / "fit.json", tmp_path / "reward.json"
    arguments = ["rbr", "fit", str(path), "--bootstrap", "0", "--out", str(out), "--reward", str(reward)]
    done = CliRunner().invoke(app, [*arguments, "--policy", "safety"])
    assert done.exit_code == 0, done.output
    weights = json.loads(out.read_text("utf-8"))["comply"]["weights"]
    expected = sum(weights[name]["value"] * value for name, value in rows[3]["features"].items())
    assert load_reward(reward).score("comply", graded[3]) == pytest.approx(expected, abs=1e-12)


def test_fit_file_of_other_features_makes_no_reward_file(tmp_path: Path) -> None:
    path, reward = write_rows(tmp_path / "graded.jsonl", graded_rows(6)), tmp_path / "reward.json"
    done = CliRunner().invoke(app, ["rbr", "fit", str(path), "--bootstrap", "0", "--reward", str(reward)])
    assert isinstance(done.exception, FlowError) and "has other features than policy 'safety'" in str(done.exception)
    assert not reward.exists()


def test_fit_as_csv_is_one_table_of_weights(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "g.jsonl", graded_rows(6))
    done = CliRunner().invoke(app, ["rbr", "fit", str(path), "--bootstrap", "5", "--format", "csv"])
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["feature"] for row in rows] == 2 * ["apology", "disallowed_content", "mine", "ideal", "unacceptable"]
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)
    assert "held out: 5-fold" in done.stderr
