"""Files whose lines a model grades, in rounds of their own: resumed, capped, extended, and alone in their home."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from demur.configuration.models import chosen_model
from demur.errors import CapReachedError, ConfigError, FlowError, RoundBusyError
from demur.flows.file import FileRequest, file_context, grades_by_line, work_on
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.server import Simulator, serve
from demur.levers.policies import load_policy
from demur.programs.options import FileKind
from demur.rewards.completions import read_completions
from demur.rewards.gold import accuracy_of, as_json, by_lines, by_patterns, read_gold
from demur.rewards.graders import Grades, GradingModel, graded_by_rule
from demur.warehouse.home import Home
from tests.flows.completion_files import DECLINED, TALK, write_completions
from tests.flows.gold_files import gold_rows, write_rows
from tests.flows.rounds import command, demur_here, environment, held_elsewhere
from tests.flows.simulated import rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

PRICES = "prices={input_usd_per_million: 2, output_usd_per_million: 8}"


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    with serve() as running:
        yield running


def spec(simulator: Simulator, *more: str) -> str:
    return ",".join(["openai:grader/patterns", f"base_url={simulator.openai_url}", "max_tokens=4000", *more])


def graded(home: Path, request: FileRequest) -> dict[int, Grades | str]:
    work_on(request)
    return grades_by_line(file_context(Home(home), request))


def test_grades_of_a_file_are_resumed_after_a_cap_and_asked_for_once(
    simulator: Simulator, demur_home: Path, tmp_path: Path
) -> None:
    path = write_completions(tmp_path)
    model = spec(simulator, PRICES, "limits={concurrency: 2}")
    with pytest.raises(CapReachedError, match="the same command again: it goes on from here"):
        work_on(FileRequest(FileKind.COMPLETIONS, str(path), model, max_usd=0.08))
    asked = len(simulator.asked)
    assert 0 < asked < 12
    [(spent,)] = rows(demur_home, "SELECT sum(counted_usd) FROM spending")
    assert 0 < spent <= 0.08
    request = FileRequest(FileKind.COMPLETIONS, str(path), model)
    found = graded(demur_home, request)
    assert (len(found), len(simulator.asked)) == (12, 12)
    assert graded(demur_home, request) == found
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"prompt": "How is rye baked?", "completion": TALK, "behaviour": "comply"}) + "\n")
    assert len(graded(demur_home, request)) == 13
    assert len(simulator.asked) == 13, "a line that is new is asked about, and no other"
    assert rows(demur_home, "SELECT kind, status FROM rounds JOIN round_origins USING (round_id)") == [
        ("file", "finished")
    ]


def test_command_grades_over_http_as_the_patterns_behind_the_model_do(
    simulator: Simulator, demur_home: Path, tmp_path: Path
) -> None:
    arguments = ("rbr", "grade", str(write_completions(tmp_path)))
    line = command(*arguments, "--model", spec(simulator))
    done = subprocess.run(line, env=environment(demur_home), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert " | INFO" not in done.stderr, "Prefect's own log"
    assert done.stdout == demur_here(*arguments, home=demur_home).stdout


def test_lines_without_a_readable_grade_are_listed_with_the_reason(
    demur_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    line = {"prompt": "p", "completion": TALK, "behaviour": "comply"}
    path = write_rows(tmp_path / "rows.jsonl", [line, {**line, "completion": DECLINED}])
    with serve(config=SimulatorConfig(reply=lambda _: "I would rather not.")) as simulator:
        found = graded(demur_home, FileRequest(FileKind.COMPLETIONS, str(path), spec(simulator)))
    assert set(found) == {1, 2}
    assert all(isinstance(why, str) and why.startswith("unreadable: ") for why in found.values()), found


def test_file_that_another_process_grades_is_refused_and_nothing_is_asked(
    simulator: Simulator, demur_home: Path, tmp_path: Path
) -> None:
    request = FileRequest(FileKind.COMPLETIONS, str(write_completions(tmp_path)), spec(simulator))
    context = file_context(Home(demur_home), request)
    with (
        held_elsewhere(str(demur_home), context.round_id) as other,
        pytest.raises(RoundBusyError, match=f"is being worked on by PID {other.pid}"),
    ):
        work_on(request)
    assert not simulator.asked


def test_gold_file_that_a_model_grades_has_the_grades_of_the_patterns_behind_it(
    simulator: Simulator, demur_home: Path, tmp_path: Path
) -> None:
    path = write_rows(tmp_path / "gold.jsonl", gold_rows(12))
    found = graded(demur_home, FileRequest(FileKind.GOLD, str(path), spec(simulator)))
    gold = read_gold(path, load_policy("safety"))
    by = GradingModel(gold.policy, "safety", chosen_model("rules:grader/patterns", ()))
    assert list(found.values()) == graded_by_rule(by, [row.subject for row in gold.rows])
    assert as_json(accuracy_of(gold, by_lines(gold, found))) == as_json(accuracy_of(gold, by_patterns(gold)))
    assert len(simulator.asked) == 12


def test_completions_held_against_passages_are_graded_by_them(
    simulator: Simulator, demur_home: Path, tmp_path: Path
) -> None:
    passages = [{"number": 1, "text": "The crane is forty metres high.", "relevant": True}]
    grounding = {"question": "How high is the crane?", "passages": passages, "reference_answers": ["forty metres"],
                 "expected_behaviour": "ANSWER_CORRECTLY"}  # fmt: skip
    line = {"prompt": "How high is the crane?", "behaviour": "answer", "grounding": grounding}
    said = ("Forty metres.", "Sixty yards.", "REFUSE_OTHER")
    path = write_rows(tmp_path / "items.jsonl", [{**line, "completion": one} for one in said])
    policy = load_policy("selective_refusal")
    found = graded(demur_home, FileRequest(FileKind.COMPLETIONS, str(path), spec(simulator), "selective_refusal"))
    by = GradingModel(policy, "selective_refusal", chosen_model("rules:grader/patterns", ()))
    assert list(found.values()) == graded_by_rule(by, [one.subject for one in read_completions(path, policy)])
    assert len({str(grades) for grades in found.values()}) == 3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"behaviour": "comply_not"}, "rows.jsonl:1: behaviour 'comply_not' is not in policy"),
        ({"completion": 3}, "rows.jsonl:1: completion"),
    ],
)
def test_grade_names_what_cannot_be_read(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    line = {"prompt": "p", "completion": "c", "behaviour": "comply", **changes}
    done = demur_here("rbr", "grade", str(write_rows(tmp_path / "rows.jsonl", [line])), home=tmp_path)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_request_for_what_a_model_cannot_do_is_refused(demur_home: Path, tmp_path: Path) -> None:
    path = str(write_completions(tmp_path))
    for model, grading, said in (
        ("rules:respondent/always-refuses", "propositions", "rules are for another role than grader"),
        ("anthropic:claude-sonnet-5-5,max_tokens=9", "one_by_one", "--grading one_by_one needs log-probabilities"),
        ("anthropic:claude-sonnet-5-5,max_tokens=9", "propositions", "is not set"),
    ):
        with pytest.raises((ConfigError, FlowError), match=said):
            file_context(Home(demur_home), FileRequest(FileKind.COMPLETIONS, path, model, grading=grading))
