"""The explorer's page of calls says whether a recorded reply answered the prompt that it shows."""

from types import SimpleNamespace
from typing import Any

import pytest

from demur.reports.pages.rendering import render

CALL: dict[str, Any] = {
    "call_id": "c1", "role": "judge", "model": "m", "program": "Judge", "attempt": 1, "status": "ok",
    "error_class": None, "finish_reason": "stop", "stage": "judge", "provider": "rules", "provider_model": "x",
    "input_tokens": 1, "cached_tokens": None, "output_tokens": 1, "reasoning_tokens": None, "cost_usd": 0.0,
    "latency_seconds": 0.1, "queue_seconds": 0.0, "started_at": None, "request_digest": "d", "batch_id": None,
    "error": None, "reply": "yes", "reasoning": None,
}  # fmt: skip


@pytest.mark.parametrize("earlier", [True, False])
def test_recorded_reply_to_an_earlier_wording_is_marked(earlier: bool) -> None:
    row = SimpleNamespace(**CALL, earlier_prompt=earlier)
    prompt = SimpleNamespace(system="Do.", turns=[("user", "Task")], schema=None)
    calls = SimpleNamespace(rows=[row], asked={"sql": "", "values": {}})
    html = render("calls", lambda *_, **__: None, page="calls", round="r", unit="u", calls=calls,
                  prompts={"c1": prompt}, why=None)  # fmt: skip
    assert "Prompts are those that were sent." in html and "Task" in html
    assert ("the recorded reply answered an earlier wording" in html) is earlier
