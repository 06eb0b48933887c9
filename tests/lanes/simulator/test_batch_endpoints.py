"""The simulator's batch endpoints, asked with the official SDKs as their documentation shows."""

import io
import json
import time
from typing import Any

import anthropic
import openai
import pytest

from demur.lanes.simulator.faults import SimulatorFault, scripted
from demur.lanes.simulator.server import Simulator, serve
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.signatures.registry import SIGNATURES

INPUTS = {"question": "When?", "reference_answers": ("1874",), "response": "In 1874."}
ENDED = ("completed", "failed", "expired", "cancelled")


def chat(**changes: Any) -> dict[str, Any]:
    messages = JsonAdapter().format(SIGNATURES["JudgeShortAnswer"], [], INPUTS)
    return {"model": "judge/patterns", "messages": messages, **changes}


def message() -> dict[str, Any]:
    system, user = JsonAdapter().format(SIGNATURES["JudgeShortAnswer"], [], INPUTS)
    return {"model": "judge/patterns", "max_tokens": 500, "system": system["content"], "messages": [user]}


def openai_client(simulator: Simulator) -> openai.OpenAI:
    return openai.OpenAI(api_key="any", base_url=simulator.openai_url, max_retries=0)


def submitted(client: openai.OpenAI, ids: tuple[str, ...]) -> Any:
    lines = [{"custom_id": i, "method": "POST", "url": "/v1/chat/completions", "body": chat()} for i in ids]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = client.files.create(file=("requests.jsonl", io.BytesIO(data)), purpose="batch")
    return client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"mine": "yes"}
    )


def ended(client: openai.OpenAI, batch_id: str) -> Any:
    for _ in range(200):
        batch = client.batches.retrieve(batch_id)
        if batch.status in ENDED:
            return batch
        time.sleep(0.05)
    raise AssertionError("the batch does not end")


def lines_of(client: openai.OpenAI, file_id: str) -> dict[str, dict[str, Any]]:
    found = (json.loads(line) for line in client.files.content(file_id).text.splitlines())
    return {line["custom_id"]: line for line in found}


def test_openai_batch_answers_what_a_live_request_is_answered() -> None:
    with serve() as simulator, openai_client(simulator) as client:
        live = client.chat.completions.create(**chat())
        batch = ended(client, submitted(client, ("a", "b")).id)
        assert (batch.status, batch.request_counts.completed, batch.metadata) == ("completed", 2, {"mine": "yes"})
        assert batch.error_file_id is None
        answers = lines_of(client, batch.output_file_id)
        assert [one.id for one in client.batches.list()] == [batch.id]
    for line in answers.values():
        assert line["response"]["status_code"] == 200
        assert line["response"]["body"]["choices"][0]["message"]["content"] == live.choices[0].message.content


def test_openai_batch_splits_answers_and_errors_into_files() -> None:
    with (
        serve(scripted(SimulatorFault.SERVER_ERROR, None, SimulatorFault.DROPPED)) as simulator,
        openai_client(simulator) as client,
    ):
        batch = ended(client, submitted(client, ("failed", "fine", "late")).id)
        assert (batch.status, batch.request_counts.completed, batch.request_counts.failed) == ("expired", 1, 2)
        assert set(lines_of(client, batch.output_file_id)) == {"fine"}
        errors = lines_of(client, batch.error_file_id)
    assert errors["failed"]["response"]["status_code"] == 500
    assert errors["late"]["error"]["code"] == "batch_expired" and errors["late"]["response"] is None


def test_openai_batch_with_an_id_twice_fails_as_a_whole() -> None:
    with serve() as simulator, openai_client(simulator) as client:
        batch = ended(client, submitted(client, ("a", "a")).id)
    assert batch.status == "failed" and "more than once" in batch.errors.data[0].message
    assert batch.output_file_id is None


def test_anthropic_batch_streams_results_of_every_kind() -> None:
    plan = scripted(None, SimulatorFault.OVERLOADED, SimulatorFault.HANGING, SimulatorFault.REFUSAL)
    with (
        serve(plan) as simulator,
        anthropic.Anthropic(api_key="any", base_url=simulator.anthropic_url, max_retries=0) as client,
    ):
        requests: Any = [{"custom_id": name, "params": message()} for name in ("fine", "failed", "late", "declined")]
        batch = client.messages.batches.create(requests=requests)
        while batch.processing_status != "ended":
            time.sleep(0.05)
            batch = client.messages.batches.retrieve(batch.id)
        counts = batch.request_counts
        assert (counts.succeeded, counts.errored, counts.expired, counts.processing) == (2, 1, 1, 0)
        results: dict[str, Any] = {one.custom_id: one.result for one in client.messages.batches.results(batch.id)}
        assert [one.id for one in client.messages.batches.list()] == [batch.id]
    assert results["fine"].message.stop_reason == "end_turn"
    assert results["failed"].error.error.type == "overloaded_error"
    assert results["late"].type == "expired"
    assert results["declined"].message.stop_reason == "refusal"


def test_batch_that_nobody_sent_is_not_found() -> None:
    with serve() as simulator, openai_client(simulator) as client, pytest.raises(openai.NotFoundError):
        client.batches.retrieve("batch_9")
