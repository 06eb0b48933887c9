"""Releases as data sets of the Hub: Parquet files by configuration and split, a card, Croissant metadata.

The configuration `items` has the splits `test` (perturbed items) and `control` (untouched questions), with the messages
sent to respondents. The configurations `responses` and `scores` have the release's responses and scores. The unchanged
release lies under `release/`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from demur.exchange.exporting.items import ReleaseItems, task_row
from demur.levers.vocabulary import ItemKind
from demur.programs.options import Prompts
from demur.warehouse.parquet import table_bytes
from demur.warehouse.release import files_below

CARD: Final = "README.md"
CROISSANT: Final = "croissant.json"
MESSAGES: Final = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))


@dataclass(frozen=True, slots=True)
class Split:
    """One split of one configuration, as a Parquet file."""

    config: str
    split: str
    table: pa.Table
    content: bytes

    @property
    def path(self) -> str:
        """The file's path in the data set."""
        return f"data/{self.config}/{self.split}-00000-of-00001.parquet"


def hub_files(found: ReleaseItems, prompts: Prompts, licence: str, language: str) -> dict[str, str | bytes]:
    """Return the files of a data set, `{path: content}`, with the release's files under `release/`."""
    parts = _parts(found, prompts)
    folder = found.release.path
    return {
        **{part.path: part.content for part in parts},
        CARD: _card(found, parts, licence, language),
        CROISSANT: json.dumps(_croissant(found, parts, licence), indent=2, ensure_ascii=False) + "\n",
        **{f"release/{name}": (folder / name).read_bytes() for name in sorted(files_below(folder))},
    }


def _parts(found: ReleaseItems, prompts: Prompts) -> list[Split]:
    folder = found.release.path
    inputs = {item.id: task_row(item, prompts, found.release.digest)["input"] for item in found.items}
    items = pq.read_table(folder / "items.parquet")
    messages = pa.array([inputs[name] for name in items["id"].to_pylist()], type=MESSAGES)
    items = items.append_column("messages", messages)
    splits = {"test": ItemKind.PERTURBED, "control": ItemKind.CONTROL}
    tables = [("items", name, items.filter(pc.equal(items["kind"], kind.value))) for name, kind in splits.items()]
    tables += [(name, "test", pq.read_table(folder / f"{name}.parquet")) for name in ("responses", "scores")]
    return [Split(*each, table_bytes(each[2])) for each in tables if each[2].num_rows]


def _card(found: ReleaseItems, parts: list[Split], licence: str, language: str) -> str:
    """Return the Hub's YAML header followed by the release's card."""
    configs: dict[str, list[dict[str, str]]] = {}
    for part in parts:
        configs.setdefault(part.config, []).append({"split": part.split, "path": part.path})
    header = {
        "pretty_name": f"{found.release.name} {found.release.version}",
        "license": licence,
        "language": [language],
        "task_categories": ["question-answering"],
        "tags": ["refusal", "retrieval-augmented-generation", "benchmark", "demur"],
        "size_categories": [_size(len(found.items))],
        "configs": [
            {"config_name": name, "data_files": files, **({"default": True} if name == "items" else {})}
            for name, files in configs.items()
        ],
    }
    text = (found.release.path / CARD).read_text(encoding="utf-8")
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True)}---\n\n{text}"


def _size(rows: int) -> str:
    bounds = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K"}
    return next((name for bound, name in bounds.items() if rows < bound), "100K<n<1M")


def _croissant(found: ReleaseItems, parts: list[Split], licence: str) -> dict[str, Any]:
    release = found.release
    return {
        "@context": yaml.safe_load((files("demur.exchange.exporting.files") / "croissant_context.yaml").read_bytes()),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.name,
        "description": "A benchmark of selective refusal: questions with passages, each with one defect of language "
        "planted, and what a respondent should do with it.",
        "version": f"{release.version}.0.0",
        "license": licence,
        "citeAs": f"{release.name}, version {release.version}, demur release {release.digest}",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": part.path,
                "name": part.path,
                "contentUrl": part.path,
                "encodingFormat": "application/x-parquet",
                "contentSize": f"{len(part.content)} B",
                "sha256": hashlib.sha256(part.content).hexdigest(),
            }
            for part in parts
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": f"{part.config}_{part.split}",
                "name": f"{part.config}_{part.split}",
                "field": [
                    one for column in part.table.schema if (one := _field(part, column.name, column.type)) is not None
                ],
            }
            for part in parts
        ],
    }


def _field(part: Split, name: str, kind: pa.DataType) -> Mapping[str, Any] | None:
    """Return a column as a Croissant field; None for structs, for which Croissant has no type."""
    repeated = pa.types.is_list(kind)
    of = kind.value_type if repeated else kind
    if pa.types.is_struct(of):
        return None
    place = f"{part.config}_{part.split}/{name}"
    return {
        "@type": "cr:Field",
        "@id": place,
        "name": name,
        "dataType": _type(of),
        **({"repeated": True} if repeated else {}),
        "source": {"fileObject": {"@id": part.path}, "extract": {"column": name}},
    }


def _type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
