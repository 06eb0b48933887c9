"""Releases in other tools: what they score equals what demur scores, and their logs come back."""

import importlib.util
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from demur.exchange.exporting.export import promptfoo_files
from demur.exchange.exporting.items import release_items, scoring_content, task_row
from demur.flows.stages.responses.release_items import ReleasedItem
from demur.lanes.simulator.faults import SimulatedRequest
from demur.levers.instances import CitedPassage
from demur.levers.lever_models import is_held_out
from demur.levers.vocabulary import PREDICTED, STRATA, Layout, expected_code
from demur.programs.adapter.contract import contract
from demur.programs.options import Prompts
from demur.programs.signatures.completions import Grounding
from demur.programs.signatures.judgement import JudgeGroundedAnswer, JudgeShortAnswer
from demur.scoring.refusal_scores import score
from demur.scoring.responses import read_responses
from demur.scoring.standalone import demur_scores
from demur.warehouse.home import Home
from tests.exchange.exporting.releases import REPLIES, items, replies, write_release
from tests.flows.rounds import demur_here

Rows = list[dict[str, Any]]


def needs(package: str) -> pytest.MarkDecorator:
    """Skip where a tool is not installed."""
    return pytest.mark.skipif(
        importlib.util.find_spec(package) is None, reason=f"{package} is not installed: pip install 'demur[tools]'"
    )


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("frozen") / "handmade")


def exported(release: Path, tool: str, folder: Path) -> Path:
    done = demur_here("release", "export", str(release), "--to", tool, str(folder / tool), home=folder / "home")
    assert done.returncode == 0, done.stderr
    return folder / tool


def scores(rows: Rows, of: dict[str, str] | None = None) -> dict[str, float]:
    """Our metrics of responses, in one slice of them."""
    [found] = score(pd.DataFrame(rows), replicates=2, seed=0)
    return {name: each.value for name, each in (found.slice(**of) if of else found).metrics.items()}


def same(ours: float | None, theirs: float) -> bool:
    return math.isnan(theirs) if ours is None or math.isnan(ours) else ours == pytest.approx(theirs)


def response_row(item: dict[str, Any], predicted: str, correct: bool | None) -> dict[str, Any]:
    return {
        "item_id": item["id"],
        "source_id": item["source_id"],
        "class": item["perturbation_class"],
        "intensity": item["intensity"],
        "expected": item["expected_rag_behavior"],
        "predicted": predicted,
        "correct": correct,
        "kind": item["kind"],
    }


@given(
    st.lists(st.tuples(st.sampled_from(STRATA), st.sampled_from(PREDICTED), st.booleans()), min_size=1), st.booleans()
)
def test_scores_of_exported_tasks_are_those_of_demur(given_rows: list[tuple[Any, str, bool]], graded: bool) -> None:
    rows = [
        {
            "item_id": str(at),
            "source_id": "q",
            "class": stratum[0].value,
            "intensity": stratum[1].value,
            "expected": expected_code(*stratum).value,
            "predicted": predicted,
            "correct": right if graded else None,
        }
        for at, (stratum, predicted, right) in enumerate(given_rows)
    ]
    ours = scores(rows)
    outcomes = [demur_scores.outcome(r["expected"], r["predicted"], r["correct"]) for r in rows]
    theirs = demur_scores.metrics(outcomes)
    for name, value in theirs.items():
        assert same(ours[name], value), name


def test_judge_of_an_exported_task_is_sent_what_ours_is(release: Path) -> None:
    """The task writes the same object with Python's own JSON."""
    passages = (CitedPassage(number=1, text='He said "no".\nÜber', relevant=True),)
    given: dict[str, Any] = {"question": "Why?", "reference_answers": ["ä"], "response": "So."}
    ours = contract(JudgeShortAnswer).write_inputs(given)
    assert json.dumps(given, ensure_ascii=False, separators=(",", ":")) == ours
    several = {"passages": [passage.model_dump() for passage in passages], **given}
    theirs = contract(JudgeGroundedAnswer).write_inputs({**given, "passages": passages})
    assert json.dumps(several, ensure_ascii=False, separators=(",", ":")) == theirs
    found = release_items(Home(release.parent), str(release))
    assert scoring_content(found, Prompts.PUBLISHED)["judge"][Layout.MULTI] == contract(JudgeGroundedAnswer).system


def test_exported_items_hide_from_respondents_what_is_relevant_and_expected(release: Path) -> None:
    found = release_items(Home(release.parent), str(release))
    for item in found.items:
        sent = task_row(item, Prompts.PUBLISHED, "digest")["input"]
        [asked] = [message["content"] for message in sent if message["role"] == "user"]
        assert set(json.loads(asked)) == {"passages", "question"}
        assert all(set(passage) == {"number", "text"} for passage in json.loads(asked)["passages"])


def test_export_of_an_altered_release_is_refused(tmp_path: Path) -> None:
    altered = write_release(tmp_path / "altered")
    (altered / "items.jsonl").write_text("{}\n", encoding="utf-8")
    done = demur_here("release", "export", str(altered), "--to", "hf", str(tmp_path / "out"), home=tmp_path)
    assert done.returncode == 2
    assert "does not match its manifest" in done.stderr
    assert not (tmp_path / "out").exists()


def test_release_with_items_of_another_version_is_refused_with_their_line(tmp_path: Path) -> None:
    rows = [*items(1), {**items(1)[0], "id": "later", "expected_rag_behavior": "REFUSE_TOMORROW"}]
    later = write_release(tmp_path / "later", rows=rows)
    done = demur_here("release", "export", str(later), "--to", "inspect", str(tmp_path / "out"), home=tmp_path)
    assert (done.returncode, f"line {len(rows)}: expected_rag_behavior" in done.stderr) == (2, True), done.stderr
    assert "This version of demur cannot read such items" in done.stderr and not (tmp_path / "out").exists()


def test_export_into_a_folder_with_files_is_refused(release: Path, tmp_path: Path) -> None:
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf" / "mine.txt").write_text("mine", encoding="utf-8")
    done = demur_here("release", "export", str(release), "--to", "hf", str(tmp_path / "hf"), home=tmp_path)
    assert (done.returncode, "is not empty" in done.stderr) == (2, True)


METRICS = ("answer_accuracy", "category_accuracy", "detection_f1", "false_refusal_rate", "refusal_accuracy")


def imported_scores(home: Path) -> dict[str, float | None]:
    """The scores of the only respondent of the only round."""
    listed = ", ".join(f"'{name}'" for name in METRICS)
    sql = f"SELECT metric, value FROM live_scores WHERE slice = 'overall' AND metric IN ({listed}) ORDER BY metric"
    found = demur_here("sql", sql, "--format", "json", home=home)
    return {row["metric"]: row["value"] for row in json.loads(found.stdout)}


JUDGED = {"Forty metres.": 5, "I do not think so.": 2}
"""What the grader makes of attempts; with several passages an attempt of 5 is eligible and supported."""


def judged(said: str, item: dict[str, Any]) -> tuple[str, bool | None]:
    """What a grader of these replies says, and whether an attempt at an answerable item is right."""
    code = item["expected_rag_behavior"]
    predicted = {"Forty metres.": "ANSWER_ATTEMPT", "I do not think so.": "ANSWER_ATTEMPT", "": "INVALID"}.get(said)
    if predicted is None:
        predicted = next((one for one in PREDICTED if one in said), "ANSWER_ATTEMPT")
    attempted = predicted == "ANSWER_ATTEMPT" and code == "ANSWER_CORRECTLY"
    return predicted, JUDGED.get(said, 1) >= 4 if attempted else None


@needs("inspect_ai")
@pytest.mark.slow
@pytest.mark.exhaustive
def test_inspect_scores_as_demur_does_and_its_log_comes_back(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    rows = items()
    said = iter(replies(rows))

    def answer(*_: Any) -> ModelOutput:
        return _output(next(said))

    def grade(messages: Any, *_: Any) -> ModelOutput:
        asked = json.loads(messages[-1].text)
        attempt = asked["response"] in JUDGED or "REFUSE" not in asked["response"]
        predicted = "ANSWER_ATTEMPT" if attempt else next(one for one in PREDICTED if one in asked["response"])
        graded: dict[str, Any] = {"explanation": "so", "classification": predicted}
        rated = attempt and bool(asked["reference_answers"])
        if "passages" in asked:
            right = JUDGED.get(asked["response"], 1) >= 4
            graded |= {"eligible": right if rated else None, "supported_all": right, "supported_relevant": right}
        else:
            graded["quality"] = JUDGED.get(asked["response"], 1) if rated else None
        return _output(f"Here it is:\n```json\n{json.dumps(graded)}\n```")

    def _output(text: str) -> ModelOutput:
        return ModelOutput.from_content("mockllm/model", text).model_copy(
            update={"usage": ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)}
        )

    monkeypatch.chdir(exported(release, "inspect", tmp_path))
    grader = get_model("mockllm/grader", custom_outputs=grade)
    [log] = run(
        "inspect_task.py",
        model=get_model("mockllm/model", custom_outputs=answer),
        task_args={"grader": grader},
        max_samples=1,
        display="none",
        log_dir=str(tmp_path / "logs"),
    )
    assert log.status == "success", log.error
    assert log.results is not None
    theirs = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    ours = [response_row(row, *judged(text, row)) for row, text in zip(rows, replies(rows), strict=True)]
    assert read_responses(pd.DataFrame(ours)).ungraded.sum() == 0
    compared = 0
    slices: list[tuple[str, dict[str, str] | None]] = [("", None)]
    slices += [
        (f"{value}/", {key: value})
        for at, key in enumerate(("class", "intensity"))
        for value in sorted({s[at].value for s in STRATA})
    ]
    for prefix, of in slices:
        expected = scores(ours, of)
        for name in demur_scores.METRICS:
            if f"{prefix}{name}" in theirs:
                assert same(expected[name], theirs[f"{prefix}{name}"]), (prefix, name)
                compared += 1
    assert compared >= 8 + 6 * 8
    assert theirs["controls_refused"] == pytest.approx(scores(ours, {"kind": "control"})["false_refusal_rate"])

    home = tmp_path / "home"
    arguments = ("--from", "inspect", "--release", str(release), "--round", "theirs", "--model", "mine")
    done = demur_here("import", "responses", log.location, *arguments, home=home)
    assert done.returncode == 0, done.stderr
    assert imported_scores(home) == {name: pytest.approx(theirs[name]) for name in METRICS}

    from inspect_ai.log import read_eval_log, write_eval_log

    as_json = tmp_path / "log.json"
    write_eval_log(read_eval_log(log.location), str(as_json))
    for module in [name for name in sys.modules if name.split(".")[0] in ("inspect_ai", "zipfile_zstd")]:
        monkeypatch.setitem(sys.modules, module, None)  # as where they are not installed
    for number, written in enumerate((log.location, as_json)):
        alone = tmp_path / f"alone-{number}"
        done = demur_here("import", "responses", str(written), *arguments, home=alone)
        assert done.returncode == 0, done.stderr
        assert imported_scores(alone) == imported_scores(home)


@needs("lm_eval")
@pytest.mark.slow
def test_lm_eval_scores_as_demur_does_and_its_samples_come_back(release: Path, tmp_path: Path) -> None:
    folder = exported(release, "lm-eval", tmp_path)
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    rows = items()

    class Recorded(LM):  # type: ignore[misc]
        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            assert [request.doc["id"] for request in requests] == [row["id"] for row in rows]
            return list(replies(rows))

        loglikelihood = loglikelihood_rolling = None

    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    run = simple_evaluate(Recorded(), tasks=["demur_handmade_1"], task_manager=tasks, bootstrap_iters=100)
    found = run["results"]["demur_handmade_1"]
    logged = EvaluationTracker(output_path=str(tmp_path / "results"))
    logged.general_config_tracker.log_experiment_args("recorded", "", None, None, None)
    samples = run.pop("samples")
    logged.save_results_aggregated(results=run, samples=samples)
    logged.save_results_samples(task_name="demur_handmade_1", samples=samples["demur_handmade_1"])
    theirs = {name.removesuffix(",none"): value for name, value in found.items() if name.endswith(",none")}
    ours = [response_row(row, judged(text, row)[0], None) for row, text in zip(rows, replies(rows), strict=True)]
    expected = scores(ours)
    for name in ("refusal_accuracy", "false_refusal_rate", "missed_refusal_rate", "detection_f1", "category_accuracy"):
        assert same(expected[name], theirs[name]), name
    by_class = scores(ours, {"class": "P-MissingInfo"})
    assert same(by_class["refusal_accuracy"], theirs["refusal_accuracy_P-MissingInfo"])
    assert same(scores(ours, {"intensity": "HIGH"})["refusal_accuracy"], theirs["refusal_accuracy_HIGH"])
    assert same(scores(ours, {"kind": "control"})["false_refusal_rate"], theirs["controls_refused"])
    shares = ("refusal_accuracy", "false_refusal_rate", "missed_refusal_rate", "category_accuracy", "controls_refused")
    for name in (*shares, "refusal_accuracy_HIGH", "reference_in_answer"):
        share, error = theirs[name], found[f"{name}_stderr,none"]
        size = {"category_accuracy": sum(one["expected"] != "ANSWER_CORRECTLY" for one in ours)}.get(name, len(ours))
        assert error == 0 if share in (0, 1) else error >= math.sqrt(share * (1 - share) / size), name
    answerable = [(r, t) for r, t in zip(rows, replies(rows), strict=True) if r["intensity"] == "LOW"]
    assert theirs["reference_in_answer"] == pytest.approx(
        sum(t == "Forty metres." for _, t in answerable) / len(answerable)
    )

    [written] = (tmp_path / "results").rglob("samples_*.jsonl")
    home = tmp_path / "home"
    arguments = ("--from", "lm-eval", "--release", str(release), "--round", "theirs", "--model", "mine")
    done = demur_here("import", "responses", str(written), *arguments, home=home)
    assert done.returncode == 0, done.stderr
    assert imported_scores(home) == {
        **{name: pytest.approx(expected[name]) for name in METRICS},
        "answer_accuracy": None,
    }


def said(asked: SimulatedRequest) -> str:
    """A reply that follows from the request, so that the same item gets the same one."""
    return REPLIES[int(asked.digest, 16) % len(REPLIES)].format("REFUSE_OTHER") or "-"


def sample(item_id: str, digest: str, said: str = "REFUSE_OTHER") -> dict[str, Any]:
    return {"doc": {"id": item_id, "metadata": {"release": digest}}, "filtered_resps": [said]}


def write_samples(path: Path, *samples: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in samples), encoding="utf-8")
    return path


def test_import_lists_responses_to_unknown_items_and_takes_the_others(release: Path, tmp_path: Path) -> None:
    digest = release_items(Home(tmp_path), str(release)).release.digest
    path = write_samples(tmp_path / "samples.jsonl", sample("i001", digest), sample("other", digest))
    arguments = ("--from", "lm-eval", "--release", str(release), "--round", "theirs")
    done = demur_here("import", "responses", str(path), *arguments, home=tmp_path / "home")
    assert done.returncode == 1
    assert "'other' is not in release" in done.stderr
    assert "1 response new" in done.stdout


@pytest.mark.parametrize(
    ("lines", "remedy"),
    [
        ([{"doc": {"id": "q"}, "filtered_resps": ["Yes."]}], "so it is from another task"),
        ([{"prompt": "p"}], "is not a sample of lm_eval"),
        ([sample("i001", "0" * 64)], "With --release, name the release that was exported"),
        ([], "has no responses"),
    ],
)
def test_import_of_another_log_is_one_clear_error(release: Path, tmp_path: Path, lines: Rows, remedy: str) -> None:
    path = write_samples(tmp_path / "samples.jsonl", *lines)
    arguments = ("--from", "lm-eval", "--release", str(release), "--round", "theirs")
    done = demur_here("import", "responses", str(path), *arguments, home=tmp_path / "home")
    assert (done.returncode, done.stdout) == (2, "")
    assert remedy in done.stderr


def test_import_of_a_log_whose_release_is_not_here_says_how_to_name_it(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "samples.jsonl", sample("i001", "0" * 64))
    done = demur_here("import", "responses", str(path), "--from", "lm-eval", "--round", "theirs", home=tmp_path)
    assert (done.returncode, "folder with --release" in done.stderr) == (2, True)


@pytest.mark.parametrize(("name", "content"), [("log.eval", "nothing"), ("log.json", "[]")])
def test_import_of_what_is_no_log_of_inspect_says_so(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    done = demur_here("import", "responses", str(path), "--from", "inspect", "--round", "theirs", home=tmp_path)
    assert (done.returncode, "is not a readable log of Inspect" in done.stderr) == (2, True)


@needs("datasets")
def test_data_set_loads_with_its_configurations_and_splits(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets
    import huggingface_hub.constants

    for settings in (huggingface_hub.constants, datasets.config):  # the variable would stay in force for other tests
        monkeypatch.setattr(settings, "HF_HUB_OFFLINE", True)
    folder = exported(release, "hf", tmp_path)
    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    rows = items()
    assert {name: len(split) for name, split in found.items()} == {
        "test": sum(row["kind"] == "perturbed" for row in rows),
        "control": sum(row["kind"] == "control" for row in rows),
    }
    first = found["test"][0]
    assert first["messages"] == task_row(ReleasedItem.model_validate(rows[0]), Prompts.PUBLISHED, "")["input"]
    responses = datasets.load_dataset(str(folder), "responses", split="test", cache_dir=str(tmp_path / "cache"))
    assert len(responses) == len(rows)


def test_data_set_has_a_card_and_the_whole_release(release: Path, tmp_path: Path) -> None:
    folder = exported(release, "hf", tmp_path)
    _, header, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    configs = {config["config_name"]: config for config in yaml.safe_load(header)["configs"]}
    assert set(configs) == {"items", "responses", "scores"}
    assert configs["items"]["default"] is True
    for config in configs.values():
        assert all((folder / file["path"]).is_file() for file in config["data_files"])
    assert "# handmade" in text
    done = demur_here("release", "verify", str(folder / "release"), home=tmp_path / "home")
    assert done.returncode == 0, done.stdout


@needs("mlcroissant")
def test_croissant_describes_the_data_set(release: Path, tmp_path: Path) -> None:
    import mlcroissant

    folder = exported(release, "hf", tmp_path)
    found = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not found.metadata.ctx.issues.errors
    rows = list(found.records(record_set="items_test"))
    assert len(rows) == sum(row["kind"] == "perturbed" for row in items())
    assert rows[0]["items_test/id"] == b"i000"


def test_training_files_keep_held_out_levers_apart_and_prefer_the_right_response(tmp_path: Path) -> None:
    rows = [{**row, "lever_id": row["lever_id"] and f"a.lever-{at % 19}"} for at, row in enumerate(items())]
    folder = write_release(tmp_path / "leveled", rows=rows)
    made = exported(folder, "training", tmp_path)
    read = {
        name: [json.loads(line) for line in (made / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        for name in ("sft", "dpo", "grpo", "held_out")
    }
    split = json.loads((made / "levers.json").read_text())
    by_id = {row["id"]: row for row in rows}
    assert set(split["train"]) | set(split["held_out"]) == {row["lever_id"] for row in rows if row["lever_id"]}
    assert split["held_out"] == [lever for lever in sorted({*split["train"], *split["held_out"]}) if is_held_out(lever)]
    assert split["held_out"] and split["train"]
    assert {by_id[row["id"]]["lever_id"] for row in read["held_out"]} == set(split["held_out"])
    assert {row["lever_id"] for row in read["sft"]} == {*split["train"], None}
    assert len(read["sft"]) + len(read["held_out"]) == len(rows)
    assert all(row["source_id"] == by_id[row["item_id"]]["source_id"] for row in read["sft"] + read["dpo"])
    assert [row["item_id"] for row in read["grpo"]] == [row["item_id"] for row in read["sft"]]
    for row in read["grpo"]:
        grounding = Grounding.model_validate(row["grounding"])
        assert row["prompt"] and grounding.expected_behaviour == by_id[row["item_id"]]["expected_rag_behavior"]
        assert row["behaviour"] == ("answer" if grounding.reference_answers else "refuse")
    for row in read["dpo"]:
        item = by_id[row["item_id"]]
        answers = item["expected_rag_behavior"] == "ANSWER_CORRECTLY"
        right, wrong = row["chosen"][0]["content"], row["rejected"][0]["content"]
        assert (right == "forty metres") == answers and (wrong == "forty metres") != answers
        assert right == item["expected_rag_behavior"] or answers
        assert item["perturbed_query"] in row["prompt"][-1]["content"]


def test_promptfoo_tests_have_the_contexts_and_the_expected_refusal(release: Path, tmp_path: Path) -> None:
    folder = exported(release, "promptfoo", tmp_path)
    config = yaml.safe_load((folder / "promptfooconfig.yaml").read_text(encoding="utf-8"))
    assert config["tests"] == "file://tests.jsonl"
    roles = {one["role"] for one in json.loads((folder / "prompt.json").read_text(encoding="utf-8"))}
    tests = [json.loads(line) for line in (folder / "tests.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(tests) == len(release_items(Home(tmp_path), str(release)).items)
    for test in tests:
        given, expected = test["vars"]["item"], test["vars"]["expected"]
        assert roles <= set(given)
        assert all(context in given["user"] for context in given["contexts"])
        kinds = [one["type"] for one in test["assert"]]
        if expected.startswith("REFUSE_"):
            assert test["assert"] == [{"type": "contains", "value": expected}]
        else:
            assert kinds == ["not-contains", "icontains-any"]


def test_promptfoo_gets_texts_as_they_are_and_none_where_it_renders_or_loads(release: Path, tmp_path: Path) -> None:
    found = release_items(Home(tmp_path), str(release))
    hostile = "file:///tmp/evil.js {{ x }} {% raw %} {#id} package:evil:run {{ expected }}"
    control = next(item for item in found.items if item.expected_rag_behavior == "ANSWER_CORRECTLY")
    changed = control.model_copy(update={"perturbed_query": hostile, "original_answers": (hostile,)})
    files = promptfoo_files(replace(found, items=(changed,)), Prompts.PUBLISHED)
    assert json.loads(files["prompt.json"])[-1] == {"role": "user", "content": "{{ item.user }}"}
    test = json.loads(files["tests.jsonl"])
    assert set(test["vars"]) == {"item", "expected"}, "promptfoo renders and loads variables that are texts"
    texts = test["vars"]["item"]
    assert (texts["question"], texts["answers"]) == (hostile, [hostile])
    assert hostile in texts["user"]
    assert test["assert"][1]["value"] == ["{{ item.answers[0] }}"]
