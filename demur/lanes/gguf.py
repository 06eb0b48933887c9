"""The lane of GGUF files: llama.cpp's server in a child process, within the cores and memory of this machine."""

import asyncio
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes import gguf_server
from demur.lanes.providers.openai import OpenAITransport
from demur.lanes.registry import CHAT_ARGUMENTS, Lane
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, Transport
from demur.programs.adapter.json_adapter import LONGEST_TEXTS
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable, ProgramError
from demur.programs.installation import MissingPackageError, install_command

# Metadata of GGUF files: what a model's cache of keys and values takes for each token.


_NUMBERS: Final = {**dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?"))), 10: "<Q", 11: "<q", 12: "<d"}
"""Formats of the types of numbers, by their code."""
_STRING, _ARRAY = 8, 9
_KIND: Final = "general.architecture"
_BYTES_OF_A_NUMBER: Final = 2
"""llama.cpp keeps keys and values as 16-bit floats."""


def cache_bytes(head: bytes, tokens: int) -> int:
    """Return the least memory in bytes that the cache of `tokens` tokens takes; 0 if the metadata do not tell.

    `head` is the beginning of a GGUF file. Layers with a sliding window keep at most the window's tokens.
    """
    try:
        known = dict(_fields(head))
        own = {name.split(".", 1)[1]: value for name, value in known.items() if name.startswith(known[_KIND] + ".")}
        layers, heads = own["block_count"], own["attention.head_count"]
        of_head = own["embedding_length"] // (max(heads) if isinstance(heads, list) else heads)
        kept = own.get("attention.head_count_kv", heads)
        width = own.get("attention.key_length", of_head) + own.get("attention.value_length", of_head)
        held = min(tokens, own.get("attention.sliding_window") or tokens)
        of_layers = sum(kept) if isinstance(kept, list) else kept * layers
        return int(of_layers * width * held * _BYTES_OF_A_NUMBER)
    except (KeyError, TypeError, ValueError, ArithmeticError, struct.error):
        return 0


def _fields(head: bytes) -> Iterator[tuple[str, Any]]:
    """Yield names and values up to the tokeniser, whose fields follow those of the model."""
    (count,) = struct.unpack_from("<Q", head, 16)
    place = 24
    for _ in range(count):
        name, place = _read(head, place, _STRING)
        if name.startswith("tokenizer."):
            return
        (kind,) = struct.unpack_from("<I", head, place)
        value, place = _read(head, place + 4, kind)
        yield name, value


def _read(head: bytes, place: int, kind: int) -> tuple[Any, int]:
    """Return the value at a place, and the place behind it."""
    if kind == _STRING:
        (length,) = struct.unpack_from("<Q", head, place)
        return head[place + 8 : place + 8 + length].decode(), place + 8 + length
    if kind == _ARRAY:
        of, length = struct.unpack_from("<IQ", head, place)
        place += 12
        values = []
        for _ in range(length):
            value, place = _read(head, place, of)
            values.append(value)
        return values, place
    (value,) = struct.unpack_from(_NUMBERS[kind], head, place)
    return value, place + struct.calcsize(_NUMBERS[kind])


# What this machine lets a process use: cores and memory, within the limits of its control groups (containers).


GROUPS: Final = Path("/sys/fs/cgroup")
MEMORY: Final = Path("/proc/meminfo")


def usable_cores(groups: Path = GROUPS) -> int:
    """Return the number of cores that this process may use, at least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for limit in _limits(groups, "cpu.max"):
        quota, _, period = limit.partition(" ")
        if quota.isdecimal() and period.isdecimal() and int(period):
            cores = min(cores, int(quota) // int(period))
    return max(1, cores)


def available_memory(memory: Path = MEMORY, groups: Path = GROUPS) -> int | None:
    """Return the available memory in bytes; None if the machine does not tell: only Linux does."""
    found = re.search(r"MemAvailable:\s+(\d+) kB", memory.read_text("ascii")) if memory.exists() else None
    if found is None:
        return None
    limits = [*_limits(groups, "memory.max"), *_limits(groups / "memory", "memory.limit_in_bytes")]
    return min([int(found[1]) * 1024, *(int(limit) for limit in limits if limit.isdecimal())])


def _limits(groups: Path, name: str, own: Path = Path("/proc/self/cgroup")) -> Iterator[str]:
    """Yield a limit of this process's control group and of all groups above it."""
    try:
        lines = own.read_text("utf-8").splitlines()
    except OSError:
        lines = []
    paths = {line.split(":", 2)[2].strip("/") for line in lines if line.count(":") >= 2}
    folders = {folder for path in paths for folder in (groups / path, *(groups / path).parents)} | {groups}
    for folder in sorted(folders):
        if folder.is_relative_to(groups):
            try:
                yield (folder / name).read_text("ascii").strip()
            except OSError:
                continue


# The lane of GGUF files: llama.cpp's server in a child process, asked like every server with chat completions.
#
# The child listens on a free port of this machine and keeps the model for all requests of this process. It reads a
# pipe from this process, and ends when the pipe closes: with the command, also if the command is killed.


OF_SERVER: Final = {"context": 8192, "threads": max(1, usable_cores() - 1)}
"""Defaults of the server's parameters, which stand in no request. One core is left to demur: threads of llama.cpp wait
for each other, and become thirty times slower where a core is missing.
"""
DEFAULTS: Final[dict[str, dict[str, float]]] = {
    "parameters": {"max_tokens": 256, "temperature": 0},  # small models repeat themselves until a limit
    "limits": {"concurrency": 1, "timeout_seconds": 3600.0},  # a slot answers one request at a time, at any speed
}
HEADER_BYTES: Final = 64 * 2**20
"""A file's metadata lie within its first bytes; the largest vocabularies take about 20 MB."""
MEMORY_SHARE: Final = 1.2
"""Memory that a model needs, as a multiple of its file's size: weights, and room to work."""


def weights_of(model: str) -> Path:
    """Return the path of a model's GGUF file; the model is this path, or an installed package with one such file.

    Raises:
        ProgramError: no such package is installed.
    """
    path = Path(model).expanduser()
    if not path.exists() and re.fullmatch(r"[A-Za-z0-9][\w.-]*", model) and path.suffix != ".gguf":
        try:
            files = [file for file in distribution(model).files or () if file.suffix == ".gguf"]
        except PackageNotFoundError:
            raise ProgramError(f"'{model}' is neither a file nor an installed package with weights") from None
        if len(files) != 1:
            raise ProgramError(f"package {model} holds {len(files)} GGUF files, but must hold one: name a file")
        path = Path(str(files[0].locate()))
    return path


def check_file(path: Path) -> None:
    """Check that a file holds a model that can chat.

    Raises:
        ProgramError: it does not.
    """
    try:
        head = _head(path)
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be read ({exc.strerror})") from exc
    if not head.startswith(b"GGUF"):
        raise ProgramError(f"{path}: is no GGUF file (it begins with {head[:4]!r}). Name a file in llama.cpp's format")
    if b"tokenizer.chat_template" not in head:
        raise ProgramError(f"{path}: has no chat template, so it is a base model. Name an instruct model")


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEADER_BYTES)


def files_version(model: str) -> str | None:
    """Return the SHA-256 of a model's file and the server's version; None if there is no file."""
    try:
        path = weights_of(model)
        parts = " ".join(_sha256(part, part.stat().st_mtime_ns) for part in parts_of(path))
        return f"{parts} xllamacpp {version('xllamacpp')}"
    except (ProgramError, PackageNotFoundError, OSError):
        return None


@cache
def _sha256(path: Path, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Server:
    """A child process with a model. The first call of `url` starts it."""

    def __init__(self, path: Path, settings: str) -> None:
        self._path = path
        self._settings = settings
        self._command = [sys.executable, "-P", gguf_server.__file__, settings]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the child
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""

    @property
    def dead(self) -> bool:
        """True if the child has ended."""
        return self._process is not None and self._process.poll() is not None

    def close(self) -> None:
        """End the child and free its memory."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()

    def url(self) -> str:
        """Return the server's address, as soon as the model is loaded.

        Raises:
            ModelUnavailable: the memory is too small, or the child has ended.
        """
        with self._starting:
            if self._process is None:
                with _one_start:  # the model before takes its memory while it is loaded
                    self._start()
            assert self._process is not None
            if self._url and self._process.poll() is None:
                return self._url
            status = self._process.wait()
        ended = f"ended by signal {-status}, often for lack of memory" if status < 0 else "ended"
        remedy = "The same command goes on; answers are kept" if self._url else "It never answered: mend this first"
        raise ModelUnavailable(f"llama.cpp's server {ended}: {self._last_words()}. {remedy}", kind=ErrorKind.CONNECTION)

    def _start(self) -> None:
        try:
            own = json.loads(self._settings)
            check_memory(self._path, own.get("slots", 0) * own.get("context", 0))
        except ProgramError as exc:
            raise ModelUnavailable(str(exc), kind=ErrorKind.CONNECTION) from exc
        streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._log}
        # A session of its own: Ctrl-C ends the command after the requests in flight, which the server answers.
        self._process = subprocess.Popen(self._command, start_new_session=True, **streams)
        said = self._process.stdout.readline().decode().strip() if self._process.stdout else ""
        self._url = said if said.startswith("http://127.0.0.1:") else ""
        if not self._url:
            self.close()

    def _last_words(self) -> str:
        """Return the first error that llama.cpp logged, or the last line of the log, such as Python's error."""
        self._log.seek(0)
        log = self._log.read().decode(errors="replace")
        said = re.findall(r" E (.+)", log) or [line for line in log.splitlines() if line.strip()][-1:]
        return " ".join(said[0].split()) if said else "it says nothing"


_servers: Final[dict[str, _Server]] = {}
_one_start: Final = threading.Lock()


def close_server(spec: ModelSpec) -> None:
    """End the server of a spec, if this process has one, and free its memory. A later request starts it again."""
    if (server := _servers.pop(_settings(spec), None)) is not None:
        server.close()


def _settings(spec: ModelSpec) -> str:
    own = {name: spec.parameters.get(name, default) for name, default in OF_SERVER.items()}
    return json.dumps({"path": str(weights_of(spec.model).resolve()), "slots": spec.limits.concurrency, **own})


class GgufTransport(Transport):
    """Asks the server of the spec's file. Transports with equal files and settings share a server."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        if find_spec("xllamacpp") is None:
            raise MissingPackageError(f"this needs xllamacpp, which is not installed: {install_command('gguf')}")
        settings = _settings(spec)
        if settings not in _servers or _servers[settings].dead:
            path = weights_of(spec.model)
            check_file(path)
            _servers[settings] = _Server(path, settings)
        self._server = _servers[settings]
        self._sent = {name: value for name, value in spec.parameters.items() if name not in OF_SERVER}
        self._spec, self._access = spec, access
        self._inner: OpenAITransport | None = None

    async def ask(self, request: Request) -> Reply:
        """Return the reply.

        Raises:
            LaneError: the server answered with an error.
            ModelUnavailable: the server cannot start, or has ended.
        """
        url = await asyncio.to_thread(self._server.url)
        if self._inner is None:
            served = self._spec.model_copy(update={"base_url": url, "parameters": self._sent})
            self._inner = OpenAITransport(served, self._access)
        try:
            return await self._inner.ask(with_lengths(request))
        except LaneError as exc:
            if exc.kind is ErrorKind.CONNECTION:
                self._server.url()
            raise

    async def aclose(self) -> None:
        """Close the connections. The server stays for the next stage of this process."""
        if self._inner is not None:
            await self._inner.aclose()


def with_lengths(request: Request) -> Request:
    """Return a request whose schema bounds the length of texts: a small model writes one without end."""
    wanted, longest = request.config.response_format, (request.config.extensions or {}).get(LONGEST_TEXTS)
    if not wanted or not longest:
        return request
    fields = wanted["schema"]["properties"]
    bounded = {name: {**fields[name], "maxLength": length} for name, length in longest.items()}
    schema = {**wanted["schema"], "properties": fields | bounded}
    return replace(request, config=replace(request.config, response_format={**wanted, "schema": schema}))


def check_memory(path: Path, tokens: int = 0, memory: Path = MEMORY) -> None:
    """Check that this process may use the memory for a file's model, and for the cache of `tokens` tokens.

    Only Linux tells how much is available.

    Raises:
        ProgramError: the memory is too small.
    """
    available = available_memory(memory)
    cache = cache_bytes(_head(path), tokens)
    needed = sum(part.stat().st_size for part in parts_of(path)) * MEMORY_SHARE + cache
    if available is not None and available < needed:
        of_cache = f" ({cache / 2**30:.1f} for {tokens:,} tokens of context: lower context or concurrency)"
        raise ProgramError(
            f"{path}: needs about {needed / 2**30:.1f} GiB of memory{of_cache if cache else ''}, and "
            f"{available / 2**30:.1f} GiB are available"
        )


def parts_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a model: one, or all of a split model, of which `path` is the first."""
    split = re.fullmatch(r"(.+)-\d{5}-of-(\d{5})\.gguf", path.name)
    if split is None:
        return (path,)
    names = (f"{split[1]}-{number:05}-of-{split[2]}.gguf" for number in range(1, int(split[2]) + 1))
    found = tuple(part for name in names if (part := path.with_name(name)).exists())
    return found or (path,)


def check_numbers(parameters: dict[str, Any], *, with_tool: bool) -> None:
    """Check the parameters of the server.

    Raises:
        ValueError: one of them is no whole number of at least 1.
    """
    for name in OF_SERVER.keys() & parameters.keys():
        if type(parameters[name]) is not int or not 1 <= parameters[name] <= 2**20:
            raise ValueError(f"{name} {parameters[name]!r} must be a whole number from 1 to {2**20:,}")


LANE: Final = Lane(
    transport="demur.lanes.gguf:GgufTransport",
    description="a GGUF file, or an installed package that holds one, by llama.cpp on this machine",
    local=True,
    arguments=CHAT_ARGUMENTS,
    parameters=frozenset({*OF_SERVER, "top_k", "min_p", "repeat_penalty"}),
    pace_parameters=frozenset({"threads"}),
    check_parameters=check_numbers,
    log_probabilities=True,
    defaults=DEFAULTS,
    code_version=files_version,
)
