"""Response rows from the logs of tools that ran an exported release.

A log has the item's id, the response, and the judgement of the tool's grader. Stratum, source question and expected
behaviour of the item are read from the release that the log names.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from demur.configuration.formats import LogFormat
from demur.corpora.faults import RowFault
from demur.corpora.jsonl import Record, parse_record, raw_lines
from demur.errors import FlowError
from demur.exchange.exporting.items import release_items
from demur.exchange.responses.file import Malformed
from demur.exchange.responses.inspect_log import completion, inspect_log
from demur.flows.stages.unpack.items import ReleasedItem
from demur.warehouse.home import Home
from demur.warehouse.release import releases


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
