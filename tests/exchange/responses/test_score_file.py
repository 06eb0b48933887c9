"""`demur score`: anybody's responses, read tolerantly, scored by the definitions, malformed rows named."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from demur.errors import FlowError
from demur.exchange.responses.response_file import ResponseFile, read_response_file, score_file, score_json
from demur.scoring.calibration import NAMES as AUROC_NAMES
from demur.scoring.metrics import METRIC_NAMES
from tests.flows.response_rows import hand_made, row, several_documents, write_rows
from tests.flows.rounds import demur_here

NAMES = {
    "answer_accuracy", "refusal_accuracy", "false_refusal_rate", "missed_refusal_rate", "refusal_rate",
    "correct_refusal_rate", "detection_precision", "detection_recall", "detection_f1", "category_accuracy",
    "hierarchical_refusal_score", "calibrated_refusal_score", "answer_quality", "hybrid_score", "ece", "ece_answers",
    "ece_refusals", "invalid_rate", "provider_refusal_rate", "eligibility", "factuality_all",
    "factuality_relevant", "raf_attempts",
    "asked_back", "asked_back_if_ambiguous", "hedged_answers",
}  # fmt: skip


def read(tmp_path: Path, *rows: object) -> ResponseFile:
    return read_response_file(write_rows(tmp_path / "responses.jsonl", rows))  # type: ignore[arg-type]


def values(found: ResponseFile) -> dict[str, dict[str, object]]:
    document = json.loads(score_json(score_file(found, replicates=200, seed=3)))
    return {m["model"]: {name: e["value"] for name, e in m["metrics"].items()} for m in document["models"]}


def test_score_json_has_exactly_the_documented_shape_and_names(tmp_path: Path) -> None:
    rows = [*hand_made(model="one", language="en"), *hand_made(model="two", language="de")]
    file, out = write_rows(tmp_path / "r.jsonl", rows), tmp_path / "scores.json"
    done = demur_here("score", str(file), "--out", str(out), "--replicates", "100", home=tmp_path / "home")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "home").exists()
    document = json.loads(out.read_text(encoding="utf-8"))
    assert set(document) == {"models"}
    assert [model["model"] for model in document["models"]] == ["one", "two"]
    for model in document["models"]:
        assert set(model) == {"model", "items", "metrics", "slices", "distribution", "confusion"}
        assert (model["items"], set(model["metrics"]), set(METRIC_NAMES)) == (10, NAMES | set(AUROC_NAMES), NAMES)
        for estimate in model["metrics"].values():
            assert set(estimate) == {"value", "se", "low", "high", "n", "reason"}
            assert (estimate["value"] is None) <= (estimate["reason"] is not None)
        assert sum(model["distribution"].values()) == pytest.approx(1.0)
        assert model["confusion"]["REFUSE_AMBIGUOUS_QUERY"]["REFUSE_INFO_MISSING_IN_CONTEXT"] == 1
        dimensions = [part["dimensions"] for part in model["slices"]]
        assert {"class": "P-Ambiguity", "intensity": "LOW"} in dimensions
        assert {"language": "en" if model["model"] == "one" else "de"} in dimensions


def test_score_hand_made_table_has_its_values(tmp_path: Path) -> None:
    found = values(read(tmp_path, *hand_made()))["unnamed"]
    assert found | {
        "answer_accuracy": 0.4,
        "refusal_accuracy": 0.4,
        "false_refusal_rate": 0.2,
        "missed_refusal_rate": 0.2,
        "correct_refusal_rate": 0.8,
        "category_accuracy": 0.5,
        "hierarchical_refusal_score": 0.4,
        "calibrated_refusal_score": 0.4,
        "invalid_rate": 0.1,
        "answer_quality": None,
    } == pytest.approx(found)


def test_score_several_documents_counts_raf(tmp_path: Path) -> None:
    found = values(read(tmp_path, *several_documents()))["unnamed"]
    assert found | {
        "eligibility": 2 / 3,
        "factuality_all": 1.0,
        "factuality_relevant": 2 / 3,
        "raf_attempts": 1 / 3,
        "answer_quality": 1 / 4,
        "calibrated_refusal_score": (1 / 4 + 1 / 2) / 2,
        "hybrid_score": 2 / 6,
    } == pytest.approx(found)


def test_score_response_text_is_classified_by_the_codes_that_it_states(tmp_path: Path) -> None:
    texts = [
        ("It was built in 1889.", "ANSWER_ATTEMPT"),
        ("REFUSE_INFO_MISSING_INCONTEXT", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        ("I would say NONFACTUAL_QUERY here.", "REFUSE_NONFACTUAL_QUERY"),
        ("REFUSE_FALSE_PREMISE, or else REFUSE_OTHER", "REFUSE_FALSE_PREMISE_IN_QUERY"),
        ("I am not sure that I can answer this.", "ANSWER_ATTEMPT"),
        ("   ", "INVALID"),
        (None, "INVALID"),
    ]
    rows = [row(f"a{at}", "P-Ambiguity", "HIGH", None, response=text) for at, (text, _) in enumerate(texts)]
    found = read(tmp_path, *rows)
    assert [one["predicted"] for one in found.rows] == [predicted for _, predicted in texts]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ({"class": "ambiguity", "intensity": "high"}, ("P-Ambiguity", "HIGH")),
        ({"class": "P_MissingInfo", "expected": "REFUSE_MISSING"}, ("P-MissingInfo", "HIGH")),
        ({"class": "Missing Info", "expected": "refuse_info_missing_in_context"}, ("P-MissingInfo", "HIGH")),
        ({"class": "granularity", "expected": "REFUSE_GRANULARITY"}, ("P-GranularityMismatch", "HIGH")),
    ],
)
def test_score_class_intensity_and_short_codes_are_read_in_other_spellings(
    tmp_path: Path, written: dict[str, object], read_as: tuple[str, str]
) -> None:
    found = read(tmp_path, {**row("a1", "P-Ambiguity", "HIGH", "REFUSE_OTHER"), **written})
    assert [(one["class"], one["intensity"]) for one in found.rows] == [read_as]


MALFORMED = [
    ("not json", "is not JSON"),
    ("[1, 2]", "the line holds [1, 2]"),
    ({"item_id": ""}, "item_id '' is not a text"),
    ({"class": "P-Vagueness"}, "class 'P-Vagueness' is not one of P-Ambiguity"),
    ({"intensity": "NONE"}, "intensity 'NONE' is not one of LOW, MEDIUM, HIGH, or null"),
    ({"expected": "REFUSE_OTHER"}, "expected 'REFUSE_OTHER' is not answer, refuse, or one of ANSWER_CORRECTLY"),
    ({"expected": "ANSWER_CORRECTLY"}, "P-Ambiguity at HIGH expects REFUSE_AMBIGUOUS_QUERY"),
    ({"predicted": "REFUSED"}, "predicted 'REFUSED' is not one of ANSWER_ATTEMPT"),
    ({"quality": 0}, "quality 0 is not a number from 1 to 5"),
    ({"confidence": 1.9}, "confidence 1.9 is not a number from 0 to 1, one of VERY_CONFIDENT"),
    ({"eligible": "yes"}, "eligible 'yes' is not true, false or null"),
    ({"response": 4}, "response 4 is not a text or null"),
]


@pytest.mark.parametrize(("wrong", "words"), MALFORMED, ids=[words for _, words in MALFORMED])
def test_score_malformed_row_is_listed_with_its_line_and_the_rest_is_kept(
    tmp_path: Path, wrong: dict[str, object] | str, words: str
) -> None:
    good = row("a1", "P-Ambiguity", "HIGH", "REFUSE_OTHER")
    bad = wrong if isinstance(wrong, str) else {**good, "item_id": "a2", **wrong}
    found = read(tmp_path, good, "", bad, {**good, "item_id": 3})
    assert [one["item_id"] for one in found.rows] == ["a1", "3"]
    assert [(problem.line, words in problem.reason) for problem in found.malformed] == [(3, True)], found.malformed


@pytest.mark.parametrize("name", ["item_id", "source_id", "class", "intensity", "expected"])
def test_score_missing_field_is_malformed(tmp_path: Path, name: str) -> None:
    one = row("a1", "P-Ambiguity", "HIGH", "REFUSE_OTHER")
    del one[name]
    assert [problem.reason for problem in read(tmp_path, one).malformed] == [f"{name} is missing"]


def test_score_row_with_neither_predicted_nor_response_is_malformed(tmp_path: Path) -> None:
    one = row("a1", "P-Ambiguity", "HIGH", None)
    del one["predicted"]
    assert [p.reason for p in read(tmp_path, one).malformed] == ["neither predicted nor response is given"]


def test_score_same_response_twice_is_malformed_unless_replicates_tell_them_apart(tmp_path: Path) -> None:
    one = row("a1", "P-Ambiguity", "HIGH", "REFUSE_OTHER", model="m")
    found = read(tmp_path, one, {**one, "replicate": 1}, {**one, "model": "n"}, {**one, "language": "de"}, one)
    assert len(found.rows) == 4
    assert "model 'm' already responds to item_id 'a1' on line 1" in str(found.malformed[0])


def test_score_command_lists_malformed_rows_scores_the_rest_and_ends_with_1(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "r.jsonl", [*hand_made(note="x"), "{", *hand_made(model="other")])
    done = demur_here("score", str(file), "--format", "json", "--replicates", "50", home=tmp_path / "home")
    assert done.returncode == 1
    assert [model["model"] for model in json.loads(done.stdout)["models"]] == ["other", "unnamed"]
    assert "r.jsonl: line 11: the line is not JSON" in done.stderr
    assert "1 of 21 rows malformed and left out, 20 scored" in done.stderr
    assert "fields not read: note" in done.stderr


def test_score_command_strict_stops_at_the_first_malformed_row_with_2(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "r.jsonl", [*hand_made(), "{", "["])
    done = demur_here("score", str(file), "--strict", home=tmp_path / "home")
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 11" in done.stderr
    assert "line 12" not in done.stderr


def test_score_command_table_shows_metrics_and_why_others_are_undefined(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "r.jsonl", hand_made())
    done = demur_here("score", str(file), "--replicates", "50", home=tmp_path / "home")
    lines = {line.partition("  ")[0]: line for line in done.stdout.splitlines()}
    assert done.returncode == 0 and " 40.0 % (" in lines["Answer accuracy"]
    assert " undefined " in lines["Hybrid score"]
    assert lines["Hybrid score"].endswith("no items of several documents")


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_score_empty_file_is_one_message(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.jsonl").write_text(text)
    with pytest.raises(FlowError, match=r"r\.jsonl: no rows"):
        read_response_file(tmp_path / "r.jsonl")


def test_score_nan_of_an_export_reads_as_null(tmp_path: Path) -> None:
    line = json.dumps(row("a1", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT", quality=float("nan"), confidence=float("nan")))
    (found,) = read(tmp_path, line).rows
    assert (found["quality"], found["confidence"]) == (None, None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=80)
@given(changes=st.dictionaries(st.sampled_from([*row("a1", "P-Ambiguity", "LOW", None), "quality"]), json_values))
def test_score_any_values_are_read_or_listed(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("any") / "r.jsonl"
    path.write_text(json.dumps({**row("a1", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT"), **changes}) + "\n")
    found = read_response_file(path)
    assert len(found.rows) + len(found.malformed) == 1


def test_score_numeric_confidence_is_read_and_scored(tmp_path: Path) -> None:
    stated = [0.95, 0.4, 1, 0, 0.7, 0.31, None, "CONFIDENT", 0.999, 0.5]
    rows = [{**one, "confidence": value} for one, value in zip(hand_made(), stated, strict=True)]
    found = read(tmp_path, *rows)
    assert not found.malformed
    metrics = values(found)["unnamed"]
    right = [True, False, False, True, False, True, False, True, False]
    claimed = [0.95, 0.4, 1, 0, 0.7, 0.31, 0.8, 0.999, 0.5]
    assert metrics["auroc"] == pytest.approx(roc_auc_score(right, claimed))
    bad = read(tmp_path, {**hand_made()[0], "confidence": 1.2})
    assert "confidence 1.2 is not a number from 0 to 1, one of VERY_CONFIDENT" in str(bad.malformed[0])
