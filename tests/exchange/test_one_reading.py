"""A reply has one reading: a table of replies through every reader, and what each reader does with special replies."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from demur.exchange.exporting.export import EXPORTERS, inspect_files, lm_eval_files
from demur.exchange.exporting.items import ReleaseItems, release_items
from demur.exchange.responses.response_fields import response_row
from demur.exchange.responses.tool_logs import completion
from demur.lanes.engine import open_models
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.faults import SimulatorFault, scripted
from demur.lanes.simulator.server import serve
from demur.lanes.spec import ModelSpec
from demur.levers.instances import Passage
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.judge import Judge, judge, settled_judgement
from demur.programs.options import Prompts
from demur.programs.replies.refusal_codes import read_reply, sole_code
from demur.programs.respondent import Respondent, respond
from demur.scoring.standalone.demur_reward import response_text
from demur.scoring.standalone.reply_text import split_reply
from demur.warehouse.home import Home
from tests.exchange.exporting.releases import write_release
from tests.lanes.asking import KEYS, spec

Row = dict[str, Any]
REPLIES: Final[list[Row]] = yaml.safe_load(
    (Path(__file__).parent.parent / "programs" / "replies.yaml").read_text(encoding="utf-8")
)
QUESTION: Final = "Which metal replaces lithium?"
PASSAGES: Final = (Passage(index=0, text="Sodium replaces lithium.", relevant=True),)
RULES: Final = ModelSpec(name="judge", provider="rules", model="judge/patterns")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> ReleaseItems:
    folder = tmp_path_factory.mktemp("frozen")
    return release_items(Home(folder), str(write_release(folder / "handmade")))


@pytest.mark.parametrize("row", REPLIES, ids=lambda row: repr(row["reply"])[:60])
def test_reply_of_the_table_has_its_reading(row: Row) -> None:
    read = read_reply(row["reply"])
    found = (read.predicted, read.response, read.reasoning, read.is_sole, read.is_mixed)
    assert found == (
        row["predicted"],
        row.get("response", row["reply"]),
        row.get("reasoning", ""),
        row.get("sole", False),
        row.get("mixed", False),
    )
    assert (sole_code(read.response) is not None) == row.get("sole", False)


async def test_evaluation_reads_each_reply_of_the_table_so() -> None:
    said = iter(row["reply"] for row in REPLIES)
    found = []
    with serve(config=SimulatorConfig(reply=lambda asked: next(said))) as provider:
        async with (
            open_models([spec(provider, "openai")], "respondent", KEYS) as respondents,
            open_models([RULES], "judge", {}) as judges,
        ):
            for number, _ in enumerate(REPLIES):
                with call_scope(CallScope("round-1", "respond", f"unit-{number}")):
                    response = await respond(Respondent(), respondents["served"], QUESTION, PASSAGES)
                settled = settled_judgement(
                    response.text, parses=False, invalid_reason=response.problem, refused_by_provider=False
                )
                if settled is None:
                    judged = await judge(Judge(), judges["judge"], QUESTION, (), response.text, PASSAGES)
                    settled = {"predicted": judged.predicted}
                found.append((settled["predicted"], response.text, response.reasoning))
    assert found == [
        (row["predicted"], row.get("response", row["reply"].strip()), row.get("reasoning", "")) for row in REPLIES
    ]


def test_score_and_imports_read_each_reply_of_the_table_so() -> None:
    stratum = {"class": "P-Ambiguity", "intensity": "LOW", "expected": "ANSWER_CORRECTLY"}
    for number, row in enumerate(REPLIES):
        read = response_row({"item_id": number, "source_id": 1, **stratum, "response": row["reply"]})
        assert (read["predicted"], read["is_mixed"]) == (row["predicted"], row.get("mixed", False)), row["reply"]


@pytest.mark.parametrize(("tool", "files"), [("inspect", inspect_files), ("lm-eval", lm_eval_files)])
def test_exported_tasks_read_each_reply_of_the_table_so(
    tool: str, files: Any, released: ReleaseItems, tmp_path: Path
) -> None:
    assert tool in EXPORTERS
    for name, text in files(released, Prompts.PUBLISHED).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "replies.json").write_text(json.dumps([row["reply"] for row in REPLIES]))
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); from reply_reader import CodeReader, ReplyReader;"
        "read = lambda name: json.load(open(f'{sys.argv[1]}/{name}', encoding='utf-8'));"
        "content = read('scoring.json'); reader = ReplyReader(CodeReader(**content['codes']), content['words']);"
        "print(json.dumps([reader.read(one).predicted for one in read('replies.json')]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [row["predicted"] for row in REPLIES]


def test_rewards_grade_the_response_of_each_reply_of_the_table() -> None:
    for row in REPLIES:
        wanted = row.get("response", row["reply"].strip())
        assert response_text(row["reply"]) == wanted
        assert response_text([{"role": "assistant", "content": [{"type": "text", "text": row["reply"]}]}]) == wanted


@pytest.mark.parametrize("fault", [SimulatorFault.REFUSAL, SimulatorFault.CONTENT_FILTER])
async def test_refusal_of_the_provider_is_a_response_and_a_refusal_without_a_reason(fault: SimulatorFault) -> None:
    with serve(scripted(fault)) as provider:
        async with open_models([spec(provider, "openai")], "respondent", KEYS) as models:
            with call_scope(CallScope("round-1", "respond", "unit-1")):
                response = await respond(Respondent(), models["served"], QUESTION, PASSAGES)
    assert response.refused_by_provider
    settled = settled_judgement(
        response.text, parses=True, invalid_reason=response.problem, refused_by_provider=response.refused_by_provider
    )
    assert settled == {
        "predicted": "REFUSE_OTHER",
        "explanation": "the provider refused in place of the model",
        "judged_by": "reply",
    }


def test_code_alone_is_for_the_judge_where_judge_codes_is_set() -> None:
    read = [
        settled_judgement("REFUSE_OTHER", parses=parses, invalid_reason=None, refused_by_provider=False)
        for parses in (True, False)
    ]
    assert read[0] is not None and read[0]["judged_by"] == "code"
    assert read[1] is None, "a judge is asked"


@pytest.mark.parametrize("begun", ["<think", "</think", "<tool_call>", "<details><summary>", "<|end", "</answer", "[/"])
def test_reply_of_tags_without_end_is_read_in_linear_time(begun: str) -> None:
    endless = f"{begun}{'_a-b' * 50_000} {begun * 2_000}"
    assert split_reply(endless).response or split_reply(endless).problem


def test_reasoning_of_a_field_alone_is_no_response() -> None:
    assert split_reply("", "Sodium.").problem == "the reply has reasoning, and no response behind it"
    assert split_reply("Sodium.", "REFUSE_OTHER").response == "Sodium."


def test_log_of_inspect_gives_response_reasoning_and_finish() -> None:
    parts = [{"type": "reasoning", "reasoning": "REFUSE_OTHER"}, {"type": "text", "text": "Sodium."}]
    sample = {"output": {"choices": [{"message": {"content": parts}, "stop_reason": "stop"}]}}
    assert completion(sample) == {"response": "Sodium.", "reasoning": "REFUSE_OTHER", "finish_reason": "stop"}


def test_row_that_the_provider_refused_is_a_refusal_without_a_reason() -> None:
    row = {"item_id": "i", "source_id": "s", "class": "P-Ambiguity", "intensity": "LOW", "expected": "ANSWER_CORRECTLY"}
    read = response_row({**row, "response": "", "finish_reason": "content_filter"})
    assert (read["predicted"], read["refused_by_provider"]) == ("REFUSE_OTHER", True)


def test_names_of_models_in_other_unicode_forms_are_one() -> None:
    row = {"item_id": "i", "source_id": "s", "class": "P-Ambiguity", "intensity": "LOW", "expected": "ANSWER_CORRECTLY"}
    names = {response_row({**row, "response": "x", "model": name})["model"] for name in ("Mod\u00e8le", "Mode\u0300le")}
    assert names == {"Mod\u00e8le"}


GRADERS: Final = [
    ('{"explanation":"e","classification":"REFUSE_OTHER","quality":null}', ("REFUSE_OTHER", None)),
    ('{"classification":"refuse other"}', ("REFUSE_OTHER", None)),
    ('{"classification":"INFO_MISSING","confidence":1}', ("REFUSE_INFO_MISSING_IN_CONTEXT", None)),
    (
        '<think>{"classification":"REFUSE_OTHER"}</think>{"classification":"answer_attempt","quality":"5"}',
        ("ANSWER_ATTEMPT", True),
    ),
    ('{"classification":"ANSWER_ATTEMPT","quality":3.0} or so', ("ANSWER_ATTEMPT", False)),
    ("I think this is fine.", ("INVALID", None)),
    ('{"classification":"ANSWER_ATTEMPT"}', ("INVALID", None)),
    ('{"classification":"ANSWER_ATTEMPT","quality":6}', ("INVALID", None)),
    ('{"classification":"REFUSE_OTHER"} {"classification":"ANSWER_ATTEMPT","quality":5}', ("INVALID", None)),
]


@pytest.mark.skipif(importlib.util.find_spec("inspect_ai") is None, reason="inspect_ai is not installed")
async def test_grader_of_inspect_is_read_as_a_judge_is_and_prose_is_invalid_with_its_words(
    released: ReleaseItems, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    for name, text in inspect_files(released, Prompts.PUBLISHED).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("reply_reader", "demur_scores"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    spec_of_task = importlib.util.spec_from_file_location("inspect_task_read", tmp_path / "inspect_task.py")
    assert spec_of_task is not None and spec_of_task.loader is not None
    task = importlib.util.module_from_spec(spec_of_task)
    spec_of_task.loader.exec_module(task)
    for name in ("reply_reader", "demur_scores"):
        sys.modules.pop(name)
    used = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    item = {"layout": "single", "reference_answers": ["sodium"], "question": "Which metal?"}
    for said, found in GRADERS:
        output = ModelOutput.from_content("mockllm/model", said).model_copy(update={"usage": used})
        grader = get_model("mockllm/grader", custom_outputs=[output] * 3, memoize=False)
        predicted, correct, explanation = await task._judged(grader, item, "Sodium.")
        assert (predicted, correct) == found, said
        assert predicted != "INVALID" or repr(said) in explanation
