"""Response rows from the logs of tools that ran an exported release, such as Inspect."""

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from demur.corpora.corpus_rows import RowFault
from demur.corpora.jsonl import Record, parse_record, raw_lines
from demur.errors import FlowError
from demur.exchange.exporting.items import release_items
from demur.exchange.responses.response_file import Malformed
from demur.flows.stages.responses.release_items import ReleasedItem
from demur.programs.options import LogFormat
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import releases

# A reader of Inspect logs without Inspect: JSON, or a zip of JSON files, deflated or zstd-compressed.


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


# Response rows from the logs of tools that ran an exported release.
#
# A log has the item's id, the response, and the judgement of the tool's grader. Stratum, source question and expected
# behaviour of the item are read from the release that the log names.


@dataclass(frozen=True, slots=True)
class LogSource:
    """The tool that wrote a log. `release` and `model` are read from the log if they are None."""

    tool: LogFormat
    release: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class _Sample:
    """One response of a log; `release` is the digest of the item's release.

    `error` is the tool's reason for a missing response; None if there is a response.
    """

    number: int
    item_id: str
    release: str
    given: Record
    error: str | None = None


def log_records(home: Home, path: Path, source: LogSource) -> Iterator[tuple[int, Record | Malformed]]:
    """Yield each response of a log with its number from 1, as a row or as a malformed row.

    Raises:
        FlowError: the file is no log of an exported task, or its release is not in this home.
    """
    samples = list(_inspect_samples(path) if source.tool is LogFormat.INSPECT else _lm_eval_samples(path))
    if not samples:
        raise FlowError(f"{path}: has no responses. Run the task with its samples logged")
    if len(digests := {sample.release for sample in samples}) > 1:
        raise FlowError(f"{path}: has responses to {len(digests)} releases. Import the log of one task")
    label = source.release or _label_of(home, path, samples[0].release)
    found = release_items(home, label)
    if found.release.digest != samples[0].release:
        raise FlowError(
            f"{path}: was made with the release of digest {samples[0].release[:12]}, but '{label}' has digest "
            f"{found.release.digest[:12]}. With --release, name the release that was exported"
        )
    items = {item.id: item for item in found.items}
    for sample in samples:
        item = items.get(sample.item_id)
        if item is None:
            yield sample.number, Malformed(sample.number, f"item '{sample.item_id[:60]}' is not in release {label}")
        elif sample.error is not None:
            problem = (
                f"item '{item.id}' got no response ({sample.error}). Continue the run of the tool, and import its log"
            )
            yield sample.number, Malformed(sample.number, problem)
        else:
            named = {"model": source.model} if source.model else {}
            yield sample.number, {**_of_item(item), **sample.given, **named}


def _of_item(item: ReleasedItem) -> Record:
    return {
        "item_id": item.id,
        "source_id": item.source_id,
        "class": item.perturbation_class,
        "intensity": item.intensity,
        "expected": item.expected_rag_behavior.value,
        "layout": item.layout.value,
        "kind": item.kind,
    }


def _label_of(home: Home, path: Path, digest: str) -> str:
    known = [release.label for release in releases(home) if release.digest == digest]
    if not known:
        raise FlowError(
            f"{path}: was made with a release of digest {digest[:12]}, which is not in {home.releases}. Name the "
            "release's folder with --release"
        )
    return known[-1]


def _inspect_samples(path: Path) -> Iterator[_Sample]:
    model, samples = inspect_log(path)
    for number, sample in enumerate(samples, start=1):
        scores: Mapping[str, Mapping[str, Any]] = sample.get("scores") or {}
        noted = [score.get("metadata") or {} for score in scores.values()]
        score = next((one for one in noted if "predicted" in one), {})
        given: Record = {"model": model, "replicate": sample["epoch"] - 1, **completion(sample)}
        if score.get("graded_by"):
            given |= {name: score[name] for name in ("predicted", "correct")}
        found = _sample(path, number, sample["id"], sample.get("metadata"), given)
        error = sample.get("error")
        yield replace(found, error=None if error is None else " ".join(str(error["message"]).split())[:200])


def _lm_eval_samples(path: Path) -> Iterator[_Sample]:
    model = _lm_eval_model(path)
    replicates: dict[object, int] = {}
    for line in raw_lines(path):
        try:
            row = parse_record(line)
        except RowFault as exc:
            raise FlowError(f"{path}:{line.number}: {exc}. Name the samples_*.jsonl that lm_eval wrote") from exc
        doc = row.get("doc")
        replies = row.get("filtered_resps")
        if not isinstance(doc, dict) or not isinstance(replies, list) or not replies:
            raise FlowError(
                f"{path}:{line.number}: is not a sample of lm_eval (with doc and filtered_resps). Name the "
                "samples_*.jsonl that lm_eval wrote with --log_samples"
            )
        for reply in replies:
            number = replicates[str(doc.get("id"))] = replicates.get(str(doc.get("id")), -1) + 1
            given: Record = {"model": model, "replicate": number, "response": reply}
            yield _sample(path, line.number, doc.get("id"), doc.get("metadata"), given)


def _lm_eval_model(path: Path) -> str | None:
    """Return the model's name from the results file beside the samples; None if there is no such file."""
    time = re.search(r"_(\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl$", path.name)
    results = path.with_name(f"results_{time[1]}.json") if time else path
    if time is None or not results.is_file():
        return None
    content = json.loads(results.read_bytes())
    return str(content.get("model_name") or content.get("model_source") or "") or None


def _sample(path: Path, number: int, item_id: object, metadata: object, given: Record) -> _Sample:
    release = metadata.get("release") if isinstance(metadata, Mapping) else None
    if not isinstance(release, str):
        raise FlowError(
            f"{path}: sample {number} names no release of demur, so it is from another task. Import logs of tasks "
            "that `demur release export` wrote"
        )
    return _Sample(number, str(item_id), release, given)
