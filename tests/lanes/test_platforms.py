"""Claude on Amazon Bedrock and Google Vertex AI, through the SDK's own clients and the platforms' own credentials."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from pydantic import ValidationError

from demur.lanes.engine import open_models
from demur.lanes.prices import prices_of
from demur.lanes.providers.sdks import load_litellm
from demur.lanes.spec import ModelSpec
from demur.programs.errors import ModelUnavailable, ProgramError
from tests.lanes.answering import Answer, answering
from tests.lanes.asking import MemoryCallStore, ask

SECRET = "planted/aws+secret/0123456789abcdefghij"
ANSWER: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [{"type": "text", "text": "In 1874."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 7, "output_tokens": 3},
}


HOSTS = {"bedrock": "bedrock-runtime.us-east-1.amazonaws.com", "vertex": "aiplatform.googleapis.com"}


class Platform:
    """A stand-in for both platforms and for Google's tokens; notes what it was sent.

    It is the machine's proxy, since credentials of the environment go to the platforms' own hosts only.
    """

    url = ""
    refuse = False

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        status, said = 200, ANSWER
        path = urlsplit(path).path
        if path == "/token":
            said = {"access_token": "ya29.planted-token-0123", "expires_in": 3600}
        else:
            self.seen.append((unquote(path), headers, json.loads(body)))
            if self.refuse:
                error = {"type": "x", "message": f"no: {headers['Authorization']}"}
                status, said = 403, {"type": "error", "error": error}
        return status, {"Content-Type": "application/json"}, json.dumps(said).encode()


@contextmanager
def platform() -> Iterator[Platform]:
    served = Platform()
    with answering(served.answer) as served.url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HTTP_PROXY", served.url)
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield served


def spec(via: str, **changes: Any) -> ModelSpec:
    where = {"region": "us-east-1"} if via == "bedrock" else {"region": "global", "project": "my-project"}
    return ModelSpec.model_validate(
        {
            "name": "claude",
            "provider": "anthropic",
            "via": via,
            "model": "anthropic.claude-x-v1:0" if via == "bedrock" else "claude-x@20260101",
            "base_url": f"http://{HOSTS[via]}",
            "parameters": {"max_tokens": 100},
            **where,
            **changes,
        }
    )


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("boto3", reason="needs demur[bedrock]")
    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAPLANTED012345678")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    from anthropic.lib.aws import _auth

    _auth._get_session.cache_clear()  # the SDK keeps a session with the credentials of the last test


@pytest.mark.usefixtures("aws")
async def test_bedrock_is_asked_with_a_signature_from_the_environments_credentials_that_no_refusal_shows() -> None:
    call_store = MemoryCallStore()
    with platform() as served:
        # a model that has answered before is asked for so long whether it answers again
        async with open_models([spec("bedrock", limits={"retry_seconds": 1})], "respondent", {}) as models:
            response, _ = await ask(models["claude"], call_store)
            served.refuse = True
            with pytest.raises(ModelUnavailable) as caught:
                await ask(models["claude"], call_store, unit="unit-2")
    path, headers, body = served.seen[0]
    assert response == "In 1874." and call_store.calls[0].output_tokens == 3
    assert path == "/model/anthropic.claude-x-v1:0/invoke"
    assert headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAPLANTED012345678/")
    assert "/us-east-1/bedrock/" in headers["Authorization"]
    assert body["max_tokens"] == 100 and "model" not in body and "anthropic_version" in body
    said = f"{caught.value} {call_store.calls!r}"
    assert "AKIAPLANTED" not in said and SECRET not in said and "Signature=[key]" in said


@pytest.mark.usefixtures("aws")
async def test_bedrock_without_credentials_is_a_matter_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with platform() as served:
        async with open_models([spec("bedrock")], "respondent", {}) as models:
            with pytest.raises(ModelUnavailable, match="Are there AWS credentials") as caught:
                await ask(models["claude"], MemoryCallStore())
    assert caught.value.kind == "authentication" and served.seen == []


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    pytest.importorskip("google.auth", reason="needs demur[vertex]")
    path = tmp_path / "account.json"
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    return path


def service_account(served: Platform) -> str:
    """The file of a service account that was made up here and gets its tokens on loopback."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = {
        "type": "service_account",
        "project_id": "my-project",
        "private_key_id": "1",
        "private_key": pem,
        "client_email": "me@my-project.iam.gserviceaccount.com",
        "token_uri": f"{served.url}/token",
    }
    return json.dumps(account)


async def test_vertex_is_asked_with_a_token_from_googles_credentials(google: Path) -> None:
    call_store = MemoryCallStore()
    with platform() as served:
        google.write_text(service_account(served))
        async with open_models([spec("vertex", limits={"retry_seconds": 1})], "respondent", {}) as models:
            response, _ = await ask(models["claude"], call_store)
            served.refuse = True
            with pytest.raises(ModelUnavailable) as caught:
                await ask(models["claude"], call_store, unit="unit-2")
    path, headers, body = served.seen[0]
    assert response == "In 1874."
    assert path == "/projects/my-project/locations/global/publishers/anthropic/models/claude-x@20260101:rawPredict"
    assert headers["Authorization"] == "Bearer ya29.planted-token-0123" and "anthropic_version" in body
    assert "ya29" not in f"{caught.value} {call_store.calls!r}"


async def test_vertex_without_credentials_is_a_matter_of_keys(google: Path) -> None:
    google.write_text("{}")
    with platform():
        async with open_models([spec("vertex")], "respondent", {}) as models:
            with pytest.raises(ModelUnavailable, match="Are there Google credentials"):
                await ask(models["claude"], MemoryCallStore())


@pytest.mark.parametrize(("via", "package"), [("bedrock", "boto3"), ("vertex", "google-auth")])
async def test_platform_without_its_package_says_what_to_install(
    via: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demur.lanes.registry.find_spec", lambda name: None)
    with platform(), pytest.raises(ProgramError, match=rf"needs {package}: .* 'demur\[{via}\]'"):
        async with open_models([spec(via)], "respondent", {}):
            pass


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"via": "bedrock"}, "via bedrock needs a region, such as region: us-east-1"),
        ({"via": "bedrock", "region": "us-east-1", "project": "p"}, "is required via vertex and"),
        ({"region": "us-east-1"}, "region and project are for models asked via bedrock or vertex"),
        ({"via": "bedrock", "region": "x", "provider": "openai"}, "via bedrock is for provider anthropic"),
        ({"via": "azure"}, "'bedrock' or 'vertex'"),
    ],
)
def test_spec_platform_that_does_not_fit_is_refused(changes: dict[str, Any], problem: str) -> None:
    model = {"name": "m", "provider": "anthropic", "model": "c", "parameters": {"max_tokens": 9}}
    with pytest.raises(ValidationError) as caught:
        ModelSpec.model_validate({**model, **changes})
    assert problem in str(caught.value)


def test_prices_on_a_platform_are_the_platforms() -> None:
    table = load_litellm().model_cost
    model = {"name": "m", "provider": "anthropic", "parameters": {"max_tokens": 9}}
    google = {"via": "vertex", "region": "global", "project": "p", "model": "claude-sonnet-4-5@20250929"}
    amazon = {"via": "bedrock", "region": "us-gov-west-1", "model": "anthropic.claude-sonnet-4-5-20250929-v1:0"}
    for where, listed in (
        (google, f"vertex_ai/{google['model']}"),
        (amazon, f"bedrock/us-gov-west-1/{amazon['model']}"),
    ):
        found = prices_of(ModelSpec.model_validate({**model, **where}))
        assert found is not None
        assert found.input_usd_per_million == pytest.approx(table[listed]["input_cost_per_token"] * 1e6)


@pytest.mark.usefixtures("aws")
async def test_bedrock_with_a_key_of_its_own_sends_that() -> None:
    with platform() as served:
        async with open_models([spec("bedrock", api_key_env="BR")], "respondent", {"BR": "own-key-1"}) as models:
            await ask(models["claude"], MemoryCallStore())
    assert served.seen[0][1]["Authorization"] == "Bearer own-key-1"
