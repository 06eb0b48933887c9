"""Releases of strangers: what their manifests name is not asked, read or imported unless the user names it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

import demur
from demur.configuration.round_config import RoundConfig
from demur.engine.context import RoundContext
from demur.errors import ConfigError, FlowError
from demur.flows.evaluations.evaluation_request import EvaluationRequest, evaluation_context, planned_evaluation
from demur.flows.evaluations.release_sources import verified_release
from demur.flows.rederivation import rederive
from demur.flows.rounds.request import find_round_config
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import canonical, is_own, note_own, release_at, sha256
from tests.exchange.exporting.releases import item, write_release
from tests.flows.rounds import demur_here, write_config

VARIABLE = "AWS_SECRET_ACCESS_KEY"
SECRET = "of-the-user-0123456789"
MODEL = "mine=rules:respondent/always-refuses"
LONGEST = {"parameters": {"max_tokens": 2000}}


class Listener(BaseHTTPRequestHandler):
    """Keeps what arrives."""

    heard: list[str]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.heard.append(f"{self.headers} {body!r}")
        self.send_error(404)

    do_GET = do_POST

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address of this machine, and the requests that arrive there."""
    heard: list[str] = []
    handler = type("Heard", (Listener,), {"heard": heard})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", heard
        server.shutdown()


def released(folder: Path, *models: dict[str, Any], **changes: Any) -> Path:
    """Write a release whose manifest has the configuration of the rules lane, with the first of the models as judge."""
    write_release(folder, rows=[item(0, 0, None, None, "ANSWER_CORRECTLY")])
    config = yaml.safe_load(write_config(folder.parent).read_text(encoding="utf-8"))
    ours = json.loads(json.dumps(RoundConfig.model_validate(config).recorded()))
    if models:
        ours["models"] += models
        ours["roles"]["judges"] = [models[0]["name"]]
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_bytes(canonical({**manifest, "configuration": {**ours, **changes}, "models": {}}))
    return folder


def judge(**fields: Any) -> dict[str, Any]:
    return {"name": "theirs", "provider": "openai", "model": "gpt-6-sol", **LONGEST, **fields}


def context(home: Path, folder: Path, *models: str, **asked: Any) -> RoundContext:
    request = EvaluationRequest(str(folder), models or (MODEL,), **asked)
    return evaluation_context(Home(home), request, verified_release(Home(home), str(folder)))


HOSTILE: list[tuple[dict[str, Any], str]] = [
    ({"base_url": "http://elsewhere/v1", "api_key_env": VARIABLE}, rf"elsewhere/v1.*the variable {VARIABLE}"),
    ({"base_url": "https://api.openai.com.elsewhere/v1"}, "the address https://api"),
    ({"api_key_env": VARIABLE}, f"the variable {VARIABLE}"),
    ({"api_key_block": "of-the-team"}, "the Prefect block of-the-team"),
    ({"provider": "anthropic", "api_key_env": "OPENAI_API_KEY"}, "the variable OPENAI_API_KEY"),
    ({"provider": "anthropic", "via": "bedrock", "region": "us-east-1"}, r"bedrock \(region us-east-1\)"),
    (
        {"provider": "anthropic", "via": "vertex", "region": "global", "project": "theirs-1"},
        r"vertex \(region global project theirs-1\)",
    ),
    ({"provider": "litellm", "model": "huggingface/https://elsewhere/x"}, "takes address and key from"),
    ({"parameters": {"max_tokens": 9, "fallbacks": [{"api_base": "http://elsewhere"}]}}, "the parameters fallbacks"),
    (
        {
            "provider": "recorded", "model": "judge", "file": "embedded", "parameters": {},
            "fallback": {"name": "deep", "provider": "recorded", "model": "judge", "file": "embedded",
                         "fallback": judge(name="deeper", base_url="http://elsewhere/v1")},
        },
        "for model 'deeper' the address http://elsewhere/v1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "named"), HOSTILE, ids=[named[:24] for _, named in HOSTILE])
def test_what_a_strangers_judge_names_is_refused_with_two_ways_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = released(tmp_path / "release", judge(**fields))
    digest = sha256(folder / "manifest.json")
    with pytest.raises(ConfigError, match=named) as refused:
        context(tmp_path / "home", folder)
    said = str(refused.value)
    assert "--judge" in said and "--round-config" in said and f"--trust-release {digest}" in said
    ours = context(tmp_path / "home", folder, judge="ours=rules:judge/patterns")
    assert [spec.name for spec in ours.config.models] == ["ours", "mine"] and not ours.notes


@pytest.mark.parametrize("file", ["/etc/hostname", "replies.jsonl.gz", "../embedded", "embedded-own", "embedded"])
def test_recording_that_a_stranger_names_is_read_only_if_it_is_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded = {"name": "theirs", "provider": "recorded", "model": "respondent-a", "file": file}
    folder = released(tmp_path / "release", judge(name="judge"), recorded)
    if file == "embedded":
        assert context(tmp_path / "home", folder, "theirs", judge="ours=rules:judge/patterns").config.models
        (tmp_path / file).write_text("a file of the user's")
    with pytest.raises(ConfigError, match=rf"for model 'theirs' the file {file}"):
        context(tmp_path / "home", folder, "theirs", judge="ours=rules:judge/patterns")


def test_names_of_a_strangers_models_are_no_permission(tmp_path: Path) -> None:
    folder = released(tmp_path / "release", judge(), judge(name="far", base_url="http://elsewhere/v1"))
    for asked in ({"models": ("far",), "judge": "ours=rules:judge/patterns"}, {"models": (MODEL,), "judge": "far"}):
        with pytest.raises(ConfigError, match="for model 'far' the address http://elsewhere/v1"):
            context(tmp_path / "home", folder, *asked.pop("models"), **asked)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ({"provider": "respondent", "model": "antigravity:fly", "version": "1"}, "the system antigravity:fly"),
        (
            {"provider": "service", "model": "http://elsewhere/answer", "version": "1", "headers": {"X-Key": VARIABLE}},
            rf"the system http://elsewhere/answer.*the variable {VARIABLE}",
        ),
    ],
)
def test_system_of_a_stranger_is_neither_imported_nor_asked(tmp_path: Path, model: dict[str, Any], named: str) -> None:
    folder = released(tmp_path / "release", judge(), {"name": "system", **model})
    with pytest.raises(ConfigError, match=named):
        context(tmp_path / "home", folder, "system", judge="ours=rules:judge/patterns")


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"metrics": ["of-a-package"]}, "the metric 'of-a-package'"), ({"metrics": [{}]}, "the metric")],
)
def test_code_that_a_strangers_configuration_names_is_not_imported(
    tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(ConfigError, match=rf"{named}.*--trust-release"):
        context(tmp_path / "home", released(tmp_path / "release", **changes))


def test_lane_of_another_package_is_not_loaded_for_a_stranger(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the lane 'of-a-package'.*--round-config FILE.*--trust-release"):
        context(tmp_path / "home", released(tmp_path / "release", judge(provider="of-a-package")))


def test_cluster_and_prices_of_a_stranger_do_not_count(tmp_path: Path) -> None:
    free = {"input_usd_per_million": 0, "output_usd_per_million": 0}
    engine = {"kind": "dask", "address": "tcp://elsewhere:8786"}
    folder = released(tmp_path / "release", judge(prices=free), engine=engine)
    found = context(tmp_path / "home", folder).config
    assert found.engine.address is None and found.model_spec("theirs").prices is None
    note_own(Home(tmp_path / "home"), sha256(folder / "manifest.json"), "handmade/1")
    assert context(tmp_path / "home", folder).config.model_spec("theirs").prices is not None


def test_providers_name_without_an_address_is_asked_after_one_line(tmp_path: Path) -> None:
    for folder, fields in (("a", {}), ("b", {"api_key_env": "OPENAI_API_KEY"})):
        found = context(tmp_path / "home", released(tmp_path / folder, judge(**fields)))
        [note] = [one for one in found.notes if "theirs" in one]
        assert "theirs (gpt-6-sol, OPENAI_API_KEY)" in note and "--judge" in note
        assert [spec.key_variable for spec in found.specs(("theirs",))] == ["OPENAI_API_KEY"]


@pytest.mark.parametrize("fields", [{"provider": "rules", "model": "judge/patterns", "parameters": {}}, {
    "provider": "recorded", "model": "judge", "file": "embedded", "parameters": {},
    "fallback": {"name": "rules", "provider": "rules", "model": "judge/patterns"},
}])  # fmt: skip
def test_rules_and_recordings_of_the_package_need_no_trust(tmp_path: Path, fields: dict[str, Any]) -> None:
    found = context(tmp_path / "home", released(tmp_path / "release", judge(**fields)))
    assert len(found.config.roles.judges) == 1 and not any("frozen" in note for note in found.notes)


def test_trust_is_noted_once_for_this_manifest_alone(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", released(tmp_path / "release", judge(base_url="http://ours/v1"))
    digest = sha256(folder / "manifest.json")
    with pytest.raises(ConfigError, match=rf"--trust-release {'0' * 64}: the manifest of handmade/1 has.*{digest}"):
        context(home, folder, trust_release="0" * 64)
    assert not is_own(Home(home), digest) and not is_own(Home(home), "0" * 64)
    for given in (digest, None):
        found = context(home, folder, trust_release=given)
        assert found.config.model_spec("theirs").base_url == "http://ours/v1"
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["configuration"]["models"][-1]["base_url"] = "http://elsewhere/v1"
    (folder / "manifest.json").write_bytes(canonical(manifest))
    assert release_at(Home(home), str(folder)).digest == manifest["digest"]
    with pytest.raises(ConfigError, match="the address http://elsewhere/v1"):
        context(home, folder)


def test_release_put_into_the_home_under_a_name_of_ours_stays_a_strangers(tmp_path: Path) -> None:
    home = tmp_path / "home"
    note_own(Home(home), "0" * 64, "handmade/1")
    released(home / "releases" / "handmade" / "1", judge(base_url="http://elsewhere/v1"))
    with pytest.raises(ConfigError, match="the address http://elsewhere/v1"):
        evaluation_context(
            Home(home), EvaluationRequest("handmade/1", (MODEL,)), verified_release(Home(home), "handmade/1")
        )


def test_nothing_arrives_at_the_address_of_a_stranger_by_any_door(
    tmp_path: Path, demur_home: Path, monkeypatch: pytest.MonkeyPatch, listener: tuple[str, list[str]], prefect_api: str
) -> None:
    address, heard = listener
    monkeypatch.setenv(VARIABLE, SECRET)
    folder = released(tmp_path / "release", judge(base_url=address, api_key_env=VARIABLE))
    for more in ((), ("--plan",), ("--judge", "theirs"), ("--no-probe",)):
        done = demur_here("evaluate", str(folder), "--model", MODEL, *more, home=demur_home)
        assert done.returncode == 2 and address in done.stderr and VARIABLE in done.stderr, done.stderr
        assert "Traceback" not in done.stderr and SECRET not in done.stderr + done.stdout
    with pytest.raises(FlowError, match=VARIABLE):
        demur.evaluate(folder, MODEL, home=demur_home)
    with pytest.raises(FlowError, match=VARIABLE):
        planned_evaluation(EvaluationRequest(str(folder), (MODEL,)))
    from demur.flows.evaluation import evaluate_release

    with pytest.raises(FlowError, match=VARIABLE):
        evaluate_release(release=str(folder), models=(MODEL,))
    assert not heard
    trusted = ("--trust-release", sha256(folder / "manifest.json"))
    done = demur_here("evaluate", str(folder), "--model", MODEL, *trusted, home=demur_home)
    assert done.returncode != 0 and any(SECRET in one for one in heard)  # the listener would have heard


def test_release_of_a_stranger_is_made_again_from_a_configuration_of_the_users_alone(tmp_path: Path) -> None:
    folder = released(tmp_path / "release")
    with pytest.raises(FlowError, match=r"was not frozen in this home.*--config.*--trust-release [0-9a-f]{64}"):
        rederive(Home(tmp_path / "home"), str(folder), tmp_path / "replies.jsonl.gz", None, None)


@pytest.mark.parametrize("address", ["https://elsewhere/mine.yaml", "hf://owner/mine.yaml", "s3://bucket/mine.yaml"])
def test_configuration_at_an_address_is_not_read(address: str) -> None:
    with pytest.raises(ConfigError, match=r"is an address.*download it"):
        find_round_config(address)
