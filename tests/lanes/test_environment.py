"""What the SDKs find in the environment goes to no address that is not the provider's, unless the spec names it."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from pydantic import ValidationError

from demur.engine.state.batches import record_of
from demur.lanes.batch.endpoint import cancel_batch, open_endpoint, spec_of
from demur.lanes.engine import open_models, open_probe
from demur.lanes.providers.anthropic import open_client
from demur.lanes.registry import PLATFORMS, Via
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access
from demur.programs.batch_record import BatchRecord, BatchStatus
from demur.programs.errors import ProgramError
from tests.lanes.answering import Answer, answering
from tests.lanes.asking import KEYS, MemoryCallStore, ask

LEAK = "leaked0123456789"
VARIABLES = (
    *("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID"),
    *("OPENAI_WEBHOOK_SECRET", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_IDENTITY_TOKEN"),
    *("ANTHROPIC_WORKSPACE_ID", "ANTHROPIC_ORGANIZATION_ID", "ANTHROPIC_FEDERATION_RULE_ID"),
    *("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
    *("AZURE_API_KEY", "AZURE_AD_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY", "HF_TOKEN", "MISTRAL_API_KEY"),
    *("OPENROUTER_API_KEY", "OR_SITE_URL", "OR_APP_NAME", "LITELLM_PROXY_API_KEY", "LITELLM_USER_AGENT"),
    *("GROQ_API_KEY", "TOGETHERAI_API_KEY", "COHERE_API_KEY"),
)
CUSTOM = ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS")
NOTED: list[tuple[str, dict[str, str], bytes]] = []


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    NOTED.clear()
    for name in VARIABLES:
        monkeypatch.setenv(name, f"{LEAK}-{name}")
    for name in CUSTOM:
        monkeypatch.setenv(name, f"X-Secret: {LEAK}-{name}\nUser-Agent: {LEAK}")


def noted(path: str, headers: dict[str, str], body: bytes) -> Answer:
    NOTED.append((path, headers, body))
    completion = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "In 1874."}}]}
    message = {"content": [{"type": "text", "text": "In 1874."}], "stop_reason": "end_turn"}
    return 200, {"Content-Type": "application/json"}, json.dumps({**completion, **message, "id": "x"}).encode()


def spec(address: str, lane: str, **changes: Any) -> ModelSpec:
    provider, _, model = lane.partition(" ")
    given = {
        "name": "m",
        "provider": provider,
        "model": model or "m",
        "base_url": address if provider == "anthropic" else f"{address}/v1",
        "parameters": {"max_tokens": 50},
        "limits": {"retries": 0, "timeout_seconds": 20},
    }
    return ModelSpec.model_validate({**given, **changes})


LANES = (
    "openai",
    "anthropic",
    "litellm openai/m",
    "litellm anthropic/m",
    "litellm mistral/m",
    "litellm openrouter/m/m",
)
KEYED = pytest.mark.parametrize("named", [{}, {"api_key_env": "PLANTED_KEY"}], ids=["without a key", "with its key"])


def assert_nothing_leaked(key: str | None) -> None:
    assert NOTED
    for path, headers, body in NOTED:
        assert LEAK not in f"{path} {headers} {body.decode()}"
        assert key is None or any(key in value for value in headers.values())


@KEYED
@pytest.mark.parametrize("lane", LANES)
async def test_lane_at_a_base_url_sends_nothing_of_the_environment(lane: str, named: dict[str, str]) -> None:
    with answering(noted) as address:
        asked = spec(address, lane, **named)
        async with open_models([asked], "respondent", KEYS) as models:
            await ask(models["m"], MemoryCallStore())
        await open_probe(asked, KEYS)()
    assert len(NOTED) == 2
    assert_nothing_leaked(KEYS["PLANTED_KEY"] if named else None)


@pytest.mark.parametrize(("via", "where"), [("bedrock", {}), ("vertex", {"project": "p"})])
async def test_platform_at_a_base_url_sends_the_named_key_alone(via: str, where: dict[str, str]) -> None:
    with answering(noted) as address:
        asked = spec(address, "anthropic", via=via, region="us-east-1", api_key_env="PLANTED_KEY", **where)
        async with open_models([asked], "respondent", KEYS) as models:
            await ask(models["m"], MemoryCallStore())
    assert_nothing_leaked(KEYS["PLANTED_KEY"])


@pytest.mark.parametrize(("via", "own"), [("bedrock", "bedrock.amazonaws.com"), ("vertex", "eu.rep.googleapis.com")])
def test_platforms_credentials_at_a_foreign_host_are_refused(via: str, own: str) -> None:
    where = {"via": via, "region": "us-east-1"} | ({"project": "p"} if via == "vertex" else {})
    for host in ("models.example.org", f"{own}.example.org", f"evil{'.'.join(own.split('.')[-2:])}"):
        with pytest.raises(ValidationError, match=f"{host} is not a host of the platform") as caught:
            spec(f"https://{host}", "anthropic", **where)
        assert "api_key_env" in str(caught.value)
    spec(f"https://x.{own}", "anthropic", **where)


@pytest.mark.parametrize("lane", ["openai", "anthropic"])
async def test_batches_at_a_base_url_send_nothing_of_the_environment(lane: str) -> None:
    with answering(noted) as address:
        endpoint = open_endpoint(spec(address, lane, mode="batch"), Access(KEYS["PLANTED_KEY"]))
        with pytest.raises(ProgramError):
            await endpoint.state("batch_1")
        await endpoint.aclose()
    assert_nothing_leaked(KEYS["PLANTED_KEY"])


@pytest.mark.parametrize("lane", ["openai", "anthropic"])
async def test_batch_is_cancelled_with_the_headers_of_its_model(lane: str) -> None:
    with answering(noted) as address:
        asked = spec(address, lane, mode="batch", headers={"X-Team": "TEAM"}, api_key_env="PLANTED_KEY")
        record = BatchRecord(
            *(
                "demur-1",
                "round",
                "respond",
                "m",
                asked.provider,
                asked.model,
                asked.base_url,
                asked.key_source,
                2,
                "now",
            ),
            status=BatchStatus.RUNNING,
            provider_batch_id="batch_1",
            headers=asked.headers,
        )
        kept = spec_of(record_of(json.dumps(asdict(record))))
        assert set(kept.variables) == {"PLANTED_KEY", "TEAM"}, "what the command reads from the environment"
        with pytest.raises(ProgramError, match="not a batch"):
            await cancel_batch(record, kept, {**KEYS, "TEAM": "benchmarks 7"})
    assert [headers["X-Team"] for _, headers, _ in NOTED] == ["benchmarks 7"]
    assert_nothing_leaked(KEYS["PLANTED_KEY"])


@KEYED
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("header", ["Authorization", "authorization"])
async def test_authorisation_of_the_environment_takes_the_place_of_no_named_key(
    lane: str, named: dict[str, str], header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in CUSTOM:
        monkeypatch.setenv(name, f"{header}: Bearer {LEAK}\nX-Api-Key: {LEAK}")
    with answering(noted) as address:
        async with open_models([spec(address, lane, **named)], "respondent", KEYS) as models:
            await ask(models["m"], MemoryCallStore())
    assert_nothing_leaked(KEYS["PLANTED_KEY"] if named else None)


@pytest.mark.parametrize("lane", LANES)
async def test_lane_sends_the_headers_that_are_named(lane: str) -> None:
    with answering(noted) as address:
        asked = spec(address, lane, headers={"X-Team": "TEAM"})
        async with open_models([asked], "respondent", {"TEAM": "benchmarks 7"}) as models:
            await ask(models["m"], MemoryCallStore())
    assert NOTED[0][1]["X-Team"] == "benchmarks 7"


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/m", "OPENAI_BASE_URL"),
        ("openai/m", "OPENAI_API_BASE"),
        ("mistral/m", "MISTRAL_API_BASE"),
        ("bedrock/anthropic.m", "AWS_BEDROCK_RUNTIME_ENDPOINT"),
        ("ollama/m", "OLLAMA_API_BASE"),
    ],
)
async def test_litellm_address_in_the_environment_is_refused(
    model: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9/v1")
    asked = spec("", "litellm", model=model, base_url=None)
    with pytest.raises(ProgramError, match=rf"address in the environment variable {variable}\. Name this address"):
        async with open_models([asked], "respondent", {}):
            pass
    spec("http://127.0.0.1:9", "litellm", model=model)


@pytest.mark.parametrize(("via", "regions"), [(Via.BEDROCK, ["eu-west-1"]), (Via.VERTEX, ["global", "us", "eu", "x"])])
async def test_platform_address_is_the_sdks_whatever_the_environment_names(
    via: Via, regions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    anthropic = pytest.importorskip("anthropic")
    pytest.importorskip(PLATFORMS[via].package)
    opens: dict[Via, Callable[[str], Any]] = {
        Via.BEDROCK: lambda region: anthropic.AsyncAnthropicBedrock(aws_region=region),
        Via.VERTEX: lambda region: anthropic.AsyncAnthropicVertex(region=region, project_id="p", access_token="t"),
    }
    for region in regions:
        monkeypatch.delenv(f"ANTHROPIC_{via.upper()}_BASE_URL", raising=False)
        expected = opens[via](region).base_url
        monkeypatch.setenv(f"ANTHROPIC_{via.upper()}_BASE_URL", "http://127.0.0.1:9")
        project = {"project": "my-project"} if via is Via.VERTEX else {}
        asked = spec("", "anthropic", base_url=None, via=via, region=region, **project)
        client = open_client(anthropic, asked, Access("key-1"), 10)
        assert client.base_url == expected
        await client.close()
