"""Gold files read, graded, trained on: accuracies as a user gets them, and files that cannot be used."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from demur.cli import app
from demur.errors import FlowError
from demur.programs.errors import ProgramError
from demur.rewards.gold import (
    accuracy_of,
    as_json,
    by_patterns,
    cross_validated_by_category,
    likely_classes,
    read_gold,
    train_on,
)
from demur.rules.trained_grader import load_grader, save_grader
from tests.flows.gold_files import SAFETY, gold_rows, write_rows

MEASURES = {"accuracy", "balanced_accuracy", "f1", "base_rate", "n"}


def test_gold_truths_as_certain_grades_give_their_class_the_probability_one(tmp_path: Path) -> None:
    gold = read_gold(write_rows(tmp_path / "gold.jsonl", gold_rows(200)), SAFETY)
    assert likely_classes(gold, gold.truth.astype(float)) == gold.classes


def test_accuracies_of_a_gold_file_agree_with_counting_by_hand(tmp_path: Path) -> None:
    gold = read_gold(write_rows(tmp_path / "gold.jsonl", gold_rows(60)), SAFETY)
    graded = by_patterns(gold)
    found = as_json(accuracy_of(gold, graded))
    assert set(found) == {"rows", "propositions", "class_accuracy", "class_recall", "by_behaviour"}
    right = [said == held for said, held in zip(likely_classes(gold, graded.probabilities), gold.classes, strict=True)]
    for name, of_class in found["class_recall"].items():
        held = [one for one, truth in zip(right, gold.classes, strict=True) if truth == name]
        assert of_class == {"rows": len(held), "recall": pytest.approx(sum(held) / len(held))}
    assert found["rows"] == 60 == sum(part["rows"] for part in found["by_behaviour"].values())
    assert set(found["propositions"]) == {p.name for p in SAFETY.propositions}
    for at, name in enumerate(gold.propositions):
        truth, taken, got = gold.truth[:, at], graded.taken[:, at], found["propositions"][name]
        assert set(got) >= MEASURES
        assert got["n"] == 60
        assert got["accuracy"] == pytest.approx((truth == taken).mean())
        assert got["base_rate"] == pytest.approx(truth.mean())
        if 0 < truth.sum() < 60:
            assert got["balanced_accuracy"] == pytest.approx((taken[truth].mean() + (~taken[~truth]).mean()) / 2)
            low, high = got["intervals"]["balanced_accuracy"]
            assert low <= got["balanced_accuracy"] <= high
        else:
            assert got["balanced_accuracy"] is None
            assert "all rows" in got["reason"]


def test_trained_grader_of_a_file_is_the_same_bytes_and_holds_no_text(tmp_path: Path) -> None:
    gold = read_gold(write_rows(tmp_path / "gold.jsonl", gold_rows(80)), SAFETY)
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert save_grader(train_on(gold), one) == save_grader(train_on(gold), two)
    assert one.read_bytes() == two.read_bytes()
    text = one.read_text(encoding="utf-8")
    assert gold.sha256 in text
    assert not [word for word in ("bread", "linen", "counsellor", "guidelines") if word in text]


def test_cross_validation_by_category_grades_a_category_by_the_others_alone(tmp_path: Path) -> None:
    rows = gold_rows(120)
    assert cross_validated_by_category(read_gold(write_rows(tmp_path / "one.jsonl", rows), SAFETY)) is None
    for number, row in enumerate(rows):
        row["category"] = "A" if number % 2 else "B"
    before = cross_validated_by_category(read_gold(write_rows(tmp_path / "two.jsonl", rows), SAFETY))
    for row in rows[1::2]:
        propositions = row["propositions"]
        assert isinstance(propositions, dict)
        propositions["apology"] = not propositions["apology"]
    after = cross_validated_by_category(read_gold(write_rows(tmp_path / "three.jsonl", rows), SAFETY))
    assert before is not None and after is not None
    assert (before.probabilities[1::2] == after.probabilities[1::2]).all()
    assert (before.probabilities[::2] != after.probabilities[::2]).any()


@settings(max_examples=30)
@given(completion=st.text(max_size=200), behaviour=st.sampled_from([b.name for b in SAFETY.behaviours]))
def test_trained_grader_of_any_text_gives_probabilities(
    completion: str, behaviour: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "shared-grader.json"
    if not path.exists():
        rows = write_rows(tmp_path_factory.getbasetemp() / "shared-gold.jsonl", gold_rows(60))
        save_grader(train_on(read_gold(rows, SAFETY)), path)
    found = load_grader(path).probabilities("What now?", completion, behaviour)
    assert set(found) == {p.name for p in SAFETY.propositions}
    assert all(0.0 <= p <= 1.0 for p in found.values())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"response_type": "Refuse"}, "behaviour 'Refuse' is not in policy"),
        ({"prompt": []}, "prompt"),
        ({"propositions": {"apology": True}}, "propositions lack judgement"),
        ({"propositions": {"apology": "maybe"}}, "propositions.apology"),
        ({"completion": [{"role": "assistant", "text": "secret words"}]}, "neither a text nor messages"),
    ],
)
def test_gold_row_that_cannot_be_used_is_named_by_line_without_its_text(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    rows = gold_rows(3)
    rows[1] |= change
    with pytest.raises(FlowError, match=r"gold\.jsonl:2: ") as caught:
        read_gold(write_rows(tmp_path / "gold.jsonl", rows), SAFETY)
    assert words in str(caught.value)
    assert "secret words" not in str(caught.value)


@pytest.mark.parametrize(("text", "words"), [("", "holds no rows"), ("{", "gold.jsonl:1: is not JSON")])
def test_gold_file_that_cannot_be_read_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FlowError, match=words):
        read_gold(path, SAFETY)


def test_grader_file_that_is_none_or_was_trained_on_other_signals_is_refused(tmp_path: Path) -> None:
    gold = read_gold(write_rows(tmp_path / "gold.jsonl", gold_rows(60)), SAFETY)
    path = tmp_path / "grader.json"
    save_grader(train_on(gold), path)
    content = json.loads(path.read_text(encoding="utf-8"))
    for change, words in (
        ({"signals": "0" * 16}, "trained on signals"),
        ({"scales": [0.0] * len(content["scales"])}, "is not a trained grader"),
        ({"extra": 1}, "is not a trained grader"),
    ):
        path.write_text(json.dumps(content | change), encoding="utf-8")
        with pytest.raises(ProgramError, match=words):
            load_grader(path)
    with pytest.raises(ProgramError, match="Train one: demur rbr train-grader"):
        load_grader(tmp_path / "absent.json")


def test_rbr_commands_train_a_grader_and_measure_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    path = write_rows(tmp_path / "gold.jsonl", gold_rows(80))
    trained = CliRunner().invoke(app, ["rbr", "train-grader", str(path)])
    assert trained.exit_code == 0, trained.output
    assert "cross-validated" in trained.output
    model = tmp_path / "home" / "graders" / "safety.json"
    assert str(model) in trained.output.replace("\n", "")
    shown = CliRunner().invoke(app, ["rbr", "gold", str(path), "--model", str(model), "--format", "json"])
    assert set(json.loads(shown.output)) == {"rows", "propositions", "class_accuracy", "class_recall", "by_behaviour"}
    table = CliRunner().invoke(app, ["rbr", "gold", str(path)])
    assert "graded by the shipped patterns" in table.output
    assert "rye bread" not in trained.output + shown.output + table.output
