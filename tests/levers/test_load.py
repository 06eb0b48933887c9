from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from demur.levers.catalogue import SHIPPED_LEVERS, catalogue_schema, load_catalogue
from demur.levers.explain import LeverError
from demur.levers.vocabulary import STRATA, Code, Intensity, LeverClass

GOOD = """\
class: P-FalsePremise
levers:
  - id: false-premise.moved-bridge
    name: Moved Bridge
    intensity: HIGH
    origin: user
    target: query
    answer: structural
    instruction: Ask about a bridge that the passage does not have.
    examples:
      - question: Who built the mill?
        answers: [Ada Quill]
        passages:
          - text: Ada Quill built the mill in 1802.
        change:
          question: Why did Ada Quill move the bridge?
        expected: REFUSE_FALSE_PREMISE_IN_QUERY
      - question: Where is the mill?
        answers: [Harrow]
        passages:
          - text: The mill stands in Harrow.
        change:
          question: Who moved the mill out of Harrow?
        expected: REFUSE_FALSE_PREMISE_IN_QUERY
    recipe: false_premise.moved_bridge
"""


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(LeverError) as caught:
        load_catalogue(path)
    return str(caught.value)


def test_catalogue_good_file_gives_typed_levers(tmp_path: Path) -> None:
    catalogue = load_catalogue(write(tmp_path, GOOD))
    lever = catalogue.lever("false-premise.moved-bridge")
    assert lever.lever_class is LeverClass.FALSE_PREMISE
    assert lever.expected is Code.FALSE_PREMISE
    assert catalogue.stratum(LeverClass.FALSE_PREMISE, Intensity.HIGH) == (lever,)
    assert catalogue.named(" moved bridge ") is lever
    assert catalogue.named("Moved Bridges") is None


def test_catalogue_added_to_ours_holds_both(tmp_path: Path) -> None:
    ours, both = load_catalogue(), load_catalogue(None, write(tmp_path, GOOD))
    assert len(both) == len(ours) + 1
    assert both.fingerprint != ours.fingerprint


def test_catalogue_ours_covers_every_stratum() -> None:
    catalogue = load_catalogue()
    assert {(lever.lever_class, lever.intensity) for lever in catalogue} == set(STRATA)
    prefixes = {lever.id.split(".")[0]: lever.lever_class for lever in catalogue}
    assert len(prefixes) == len(LeverClass)


def test_catalogue_fingerprint_ignores_layout_and_order(tmp_path: Path) -> None:
    document = yaml.safe_load(GOOD)
    second = {**yaml.safe_load(GOOD)["levers"][0], "id": "false-premise.other", "name": "Other"}
    forwards = {**document, "levers": [document["levers"][0], second]}
    backwards = {"levers": [second, document["levers"][0]], "class": document["class"]}
    one = load_catalogue(write(tmp_path, yaml.safe_dump(forwards), "a.yaml"))
    two = load_catalogue(write(tmp_path, "# a comment\n" + yaml.safe_dump(backwards, width=40), "b.yaml"))
    assert one.fingerprint == two.fingerprint


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            "intensity: HIGH",
            "intensity: Medum",
            5,
            ["levers[0].intensity 'Medum'", "LOW, MEDIUM, HIGH", "mean 'MEDIUM'"],
        ),
        ("    instruction:", "    instrution:", 9, ["instrution", "Did you mean 'instruction'"]),
        ("class: P-FalsePremise", "class: P-FalsePremises", 1, ["class 'P-FalsePremises'", "mean 'P-FalsePremise'"]),
        ("target: query", "target: context", 7, ["target 'context' is not one of", "query"]),
        ("answers: [Ada Quill]", "answers: []", 12, ["levers[0].examples[0].answers", "0 of at least 1"]),
        ("answers: [Harrow]", "answers: [no]", 19, ["answers[0] False is bool, not text", "quotes"]),
        (
            "    recipe: false_premise.moved_bridge",
            "    frames: ['{question}']",
            3,
            ["levers[0]: has frames but no recipe"],
        ),
        (
            "    recipe: false_premise.moved_bridge",
            "    recipe: false_premise.lead_in\n    frames: ['of old, {question} in {town}']",
            26,
            ["frames[0]", "has the slot '{town}', which is not one of question"],
        ),
        ("id: false-premise.moved-bridge", "id: Moved_Bridge", 3, ["levers[0].id 'Moved_Bridge'", "hyphens"]),
        ("    origin: user\n", "", 3, ["levers[0].origin is missing"]),
        ("question: Why did Ada Quill move the bridge?", "passages: {4: x}", 11, ["change.passages[4]", "there are 1"]),
        ("REFUSE_FALSE_PREMISE_IN_QUERY\n    recipe", "ANSWER_CORRECTLY\n    recipe", 24, ["examples[1].expected"]),
        (
            "id: false-premise.moved",
            "id: ambiguity.moved",
            3,
            ["levers[0].id 'ambiguity.moved-bridge'", "false-premise."],
        ),
        (
            "answer: structural",
            "answer: structural\n    disfluent: [context]",
            9,
            ["levers[0].disfluent[0] 'context' is not a part of the target 'query'"],
        ),
        (
            "answer: structural",
            "answer: structural\n    disfluent: [question]",
            9,
            ["levers[0].disfluent[0] 'question' is not one of query, context"],
        ),
        ("answers: [Ada Quill]", "answers: Ada Quill", 12, ["examples[0].answers 'Ada Quill' is str, not a list"]),
    ],
)
def test_catalogue_bad_field_names_line_value_and_remedy(
    tmp_path: Path, old: str, new: str, line: int, words: list[str]
) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    message = refusal(path)
    assert any(row.startswith(f"{path}:{line}: ") for row in message.splitlines()), message
    for word in words:
        assert word in message


def test_catalogue_keeps_subject_is_for_levers_that_change_the_query(tmp_path: Path) -> None:
    text = GOOD.replace("P-FalsePremise", "P-MissingInfo").replace("false-premise.", "missing-info.")
    text = text.replace("target: query", "target: context\n    keeps_subject: true")
    assert "levers[0].keeps_subject is only for levers that change the query, but target is 'context'" in refusal(
        write(tmp_path, text)
    )


def test_catalogue_several_problems_are_told_at_once_in_order(tmp_path: Path) -> None:
    text = GOOD.replace("origin: user", "origin: me").replace("target: query", "target: both")
    text += GOOD.partition("levers:\n")[2].replace("target: query", "target: context")
    rows = refusal(write(tmp_path, text)).splitlines()
    assert [row.split(": ")[1].split()[0] for row in rows] == [
        "levers[0].origin",
        "levers[0].target",
        "levers[1].target",
    ]


def test_catalogue_too_few_examples_is_refused(tmp_path: Path) -> None:
    head, _, tail = GOOD.partition("      - question: Where")
    message = refusal(write(tmp_path, head + "    recipe: x\n"))
    assert tail
    assert "levers[0].examples has 1 of at least 2" in message


def test_catalogue_repeated_id_and_name_name_both_places(tmp_path: Path) -> None:
    first = write(tmp_path, GOOD, "a.yaml")
    second = write(tmp_path, GOOD.replace("Moved Bridge", "moved bridge"), "b.yaml")
    message = refusal(tmp_path)
    assert f"{second}:3: levers[0].id 'false-premise.moved-bridge' is also at {first}:3" in message
    assert f"{second}:4: levers[0].name 'moved bridge' is also at {first}:4" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("- a\n- b\n", "a list; a mapping"),
        ("class: [", "not valid YAML"),
        ("class: !!python/object/apply:os.getcwd []\n", "only plain data"),
        ("a: &x [1]\nb: *x\n", "alias '*x' is not read"),
        ("class: a\nlevers: []\nclass: b\n", "field 'class' is given twice"),
        ('"a\\nb": 1\n"a\\nb": 2\n', "field 'a\\nb' is given twice"),
        ("levers:\n  - id: a\n    id: b\n", "mine.yaml:3: field 'id' is given twice"),
        ("a: " + "[" * 100_000, "nested more than 40 levels deep"),
        ("a: 1\n--- \nb: 2\n", "a file has only one"),
        ("[a, b]: c\n", "cannot be a field name"),
        ("a: \x01\n", "not valid YAML"),
    ],
)
def test_catalogue_more_or_less_than_plain_data_is_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(write(tmp_path, text))


def test_catalogue_wrong_encoding_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(GOOD.replace("Harrow", "Århus").encode("latin-1"))
    assert f"{path}:19: byte 0xc5 is not UTF-8" in refusal(path)


def test_catalogue_byte_order_mark_and_windows_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert len(load_catalogue(path)) == 1


def test_catalogue_missing_file_and_empty_directory_are_named(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "none.yaml")
    assert "has no .yaml" in refusal(tmp_path)


def test_schema_accepts_ours_and_refuses_a_misspelt_field() -> None:
    validator = Draft202012Validator(catalogue_schema())
    for path in SHIPPED_LEVERS.glob("*.yaml"):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        del_passages_keys = yaml.safe_load(yaml.safe_dump(document))
        for lever in del_passages_keys["levers"]:
            for example in lever["examples"]:
                change = example["change"]
                if "passages" in change:
                    change["passages"] = {str(key): value for key, value in change["passages"].items()}
        assert list(validator.iter_errors(del_passages_keys)) == []
    assert list(validator.iter_errors({"class": "P-Ambiguity", "lever": []}))


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(field=st.sampled_from(sorted(yaml.safe_load(GOOD)["levers"][0])), value=_values)
def test_catalogue_any_value_in_any_field_is_loaded_or_refused_with_its_place(
    tmp_path: Path, field: str, value: object
) -> None:
    document = yaml.safe_load(GOOD)
    document["levers"][0][field] = value
    path = write(tmp_path, yaml.safe_dump(document, allow_unicode=True))
    try:
        load_catalogue(path)
    except LeverError as exc:
        assert all(row.startswith(str(path)) for row in str(exc).splitlines())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(raw=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "ignore")))
def test_catalogue_any_bytes_are_refused_with_their_place(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "noise.yaml"
    path.write_bytes(raw)
    assert str(path) in refusal(path)


def test_catalogue_huge_file_is_refused_unread(tmp_path: Path) -> None:
    assert "at most 5,000,000" in refusal(write(tmp_path, "#" * 5_000_001))
