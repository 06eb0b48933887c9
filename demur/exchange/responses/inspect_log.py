"""A reader of Inspect logs without Inspect: JSON, or a zip of JSON files, deflated or zstd-compressed."""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from demur.errors import FlowError

ZSTD: Final = 93
"""Zip's number of zstd compression, which Python's zipfile supports from 3.14 on."""
LOCAL_HEADER: Final = struct.Struct("<26xHH")
SAMPLES: Final = "samples/"
HEADERS: Final = ("header.json", "_journal/start.json")
"""Members with the model's name: of a finished log, then of an interrupted one."""


def inspect_log(path: Path) -> tuple[str | None, Iterator[dict[str, Any]]]:
    """Return the model of a log, and an iterator over the raw samples.

    Raises:
        FlowError: the file is no log. The iterator can raise this error too, for a damaged sample.
    """
    samples = _samples(path)
    return next(samples)["model"], samples


def _samples(path: Path) -> Iterator[dict[str, Any]]:
    """Yield `{"model": name}` for the log's model, then every sample."""
    try:
        if path.suffix == ".json":
            log = json.loads(path.read_bytes())
            yield {"model": log["eval"].get("model")}
            yield from log.get("samples") or ()
            return
        with zipfile.ZipFile(path) as members:
            names = members.NameToInfo  # the later of two members with the same name
            header = next(name for name in HEADERS if name in names)
            yield {"model": _read(members, path, header)["eval"].get("model")}
            for name in sorted(one for one in names if one.startswith(SAMPLES) and one.endswith(".json")):
                yield _read(members, path, name)
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration, zipfile.BadZipFile, zlib.error,
        NotImplementedError, pa.ArrowException,
    ) as exc:  # fmt: skip
        why = " ".join(str(exc).split())[:200] or type(exc).__name__
        raise FlowError(
            f"{path}: is not a readable log of Inspect ({why}). Name the .eval or .json file of a log"
        ) from exc


def _read(members: zipfile.ZipFile, path: Path, name: str) -> dict[str, Any]:
    info = members.NameToInfo[name]
    if info.compress_type != ZSTD:
        content: dict[str, Any] = json.loads(members.read(info))
        return content
    with path.open("rb") as file:
        file.seek(info.header_offset)
        of_name, of_extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
        file.seek(of_name + of_extra, 1)
        packed = pa.py_buffer(file.read(info.compress_size))
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as plain:
        unpacked = plain.read()
    if zlib.crc32(unpacked) != info.CRC:
        raise zipfile.BadZipFile(f"{name} is damaged")
    content = json.loads(unpacked)
    return content


def completion(sample: dict[str, Any]) -> dict[str, str | None]:
    """Return response, reasoning and finish reason of a sample; the response is None if there is none."""
    output = sample.get("output") or {}
    choices = output.get("choices") or ()
    if not choices:
        return {"response": None}
    content = choices[0]["message"]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
    said = output.get("completion") or _joined(parts, "text")
    return {"response": said, "reasoning": _joined(parts, "reasoning"), "finish_reason": choices[0].get("stop_reason")}


def _joined(parts: Sequence[Mapping[str, Any]], kind: str) -> str:
    return "\n".join(str(part.get(kind) or "") for part in parts if part.get("type") == kind)
