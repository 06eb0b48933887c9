"""`demur simulate` as users start it, in a process of its own."""

import json
import signal
import subprocess
import urllib.request
from pathlib import Path

import openai

from demur.flows.rounds.request import find_round_config, read_round_config
from tests.flows.rounds import ROOT, command, demur_here, environment


def test_simulate_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("simulate", "--port", "0", "--latency", "0"),
        env=environment(tmp_path),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().split("base_url: ")[1].strip()
        with openai.OpenAI(api_key="any", base_url=url, max_retries=0) as client:
            said = client.chat.completions.create(
                model="judge/patterns", messages=[{"role": "user", "content": "Are you there?"}]
            )
        with urllib.request.urlopen(url.replace("/v1", "/stats"), timeout=60) as page:
            stats = json.loads(page.read())
    finally:
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    assert said.choices[0].message.content == "ok"
    assert (stats["requests"], stats["answered"], stats["answered_again"]) == (1, 1, 0)


def test_simulate_with_a_latency_that_never_ends_says_so(tmp_path: Path) -> None:
    ended = demur_here("simulate", "--latency", "inf", home=tmp_path)
    assert ended.returncode == 2 and "'--latency': inf is not a finite number" in ended.stderr


def test_rehearsal_asks_both_providers_at_the_address_that_simulate_takes() -> None:
    config = read_round_config(find_round_config("rehearsal"))
    assert {model.provider for model in config.models} == {"openai", "anthropic"}
    for model in config.models:
        path = "/v1" if model.provider == "openai" else ""
        assert model.base_url == f"http://127.0.0.1:8765{path}"
        assert model.key_source is None and model.prices is not None
