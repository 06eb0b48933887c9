"""Publication of releases: as a data set of the Hub, or unchanged in a folder or an object store."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from demur.errors import FlowError
from demur.exchange.exporting.items import ReleaseItems, licence_of, release_items, task_row
from demur.levers.vocabulary import ItemKind
from demur.programs.options import Prompts
from demur.reports.reference_figures import UNSTATED
from demur.warehouse.arrow_rows import table_bytes
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import MANIFEST, Release, files_below, read_manifest
from demur.warehouse.stores import STORES, store_at

# Releases as data sets of the Hub: Parquet files by configuration and split, a card, Croissant metadata.
#
# The configuration `items` has the splits `test` (perturbed items) and `control` (untouched questions), with the
# messages sent to respondents. The configurations `responses` and `scores` have the release's responses and scores.
# The unchanged release lies under `release/`.


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
    return [Split(config, split, table, table_bytes(table)) for config, split, table in tables if table.num_rows]


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
    records = []
    for part in parts:
        columns = [_field(part, column.name, column.type) for column in part.table.schema]
        name = f"{part.config}_{part.split}"
        described = [column for column in columns if column is not None]
        records.append({"@type": "cr:RecordSet", "@id": name, "name": name, "field": described})
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
        "recordSet": records,
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


# Publication of releases: as a data set of the Hub, or unchanged in a folder or an object store.
#
# Folders and object stores receive the manifest last, so an interrupted push leaves no complete release. Existing
# files are compared first and never overwritten.


HUB: Final = "hf:"
_REPOSITORY: Final = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class PushRequest:
    """A request to publish a release. Prompts, licence, language and `public` apply to data sets of the Hub.

    `confirmed` says that the user may publish a set whose licence restricts it.
    """

    label: str
    target: str
    public: bool
    prompts: Prompts
    licence: str | None
    language: str
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Push:
    """A planned or finished publication: the target, the size of each file in bytes, and the visibility in words."""

    target: str
    sizes: Mapping[str, int]
    seen_by: str


def push_release(home: Home, request: PushRequest, *, dry_run: bool = False) -> Push:
    """Publish a release and return the publication; with `dry_run` send nothing.

    Raises:
        WarehouseError: there is no such release, or the release was altered.
        FlowError: the target is invalid, refuses the upload, or has a file with other content.
    """
    found = release_items(home, request.label)
    if not dry_run and not request.confirmed:
        _check_licence(found.release, request)
    files = _files(found, request)
    if not dry_run and request.target.startswith(HUB):
        _to_hub(request, files, f"{found.release.label}, digest {found.release.digest}")
    elif not dry_run:
        _to_store(request.target, files)
    return Push(request.target, {name: len(content) for name, content in files.items()}, _seen_by(request))


def _check_licence(release: Release, request: PushRequest) -> None:
    """Refuse to publish an imported set whose licence restricts it.

    Raises:
        FlowError: the licence forbids commercial use or changed copies, or nobody stated it.
    """
    imported = read_manifest(release.path).model_dump().get("imported")
    licence = licence_of(release, request.licence)
    parts = licence.lower().replace("_", "-").split("-")
    restricts = {"nc": "allows no commercial use", "nd": "allows no changed copies", UNSTATED: "is not known"}
    for word, why in restricts.items():
        if imported is not None and word in parts:
            raise FlowError(
                f"{release.label}: was imported, and its licence ({licence}) {why}. If you may publish it at "
                f"{request.target}, say so: --yes; nothing was sent"
            )


def _seen_by(request: PushRequest) -> str:
    if not request.target.startswith(HUB):
        return "all readers of that place"
    return "everybody" if request.public else "you and people you invite (private)"


def _files(found: ReleaseItems, request: PushRequest) -> dict[str, bytes]:
    if request.target.startswith(HUB):
        if not _REPOSITORY.fullmatch(request.target.removeprefix(HUB)):
            raise FlowError(f"--to {request.target}: is not a repository of the Hub. Write hf:OWNER/NAME")
        licence = licence_of(found.release, request.licence)
        written = hub_files(found, request.prompts, licence, request.language)
        return {name: text if isinstance(text, bytes) else text.encode() for name, text in written.items()}
    names = sorted(files_below(found.release.path), key=lambda name: name == MANIFEST)  # the manifest last
    return {name: (found.release.path / name).read_bytes() for name in names}


def _to_hub(request: PushRequest, files: Files, message: str) -> None:
    from httpx import HTTPError
    from huggingface_hub import CommitOperationAdd, HfApi

    repository = request.target.removeprefix(HUB)
    api = HfApi(library_name="demur")
    try:
        api.create_repo(repository, repo_type="dataset", private=not request.public, exist_ok=True)
        if not request.public and not api.repo_info(repository, repo_type="dataset").private:
            raise FlowError(
                f"--to {request.target}: already exists and is public. Name another repository, or publish the release "
                "with --public; nothing was sent"
            )
        operations = [CommitOperationAdd(name, content) for name, content in files.items()]
        api.create_commit(repository, operations, repo_type="dataset", commit_message=f"demur release {message}")
    except (HTTPError, OSError, ValueError) as exc:
        why = " ".join(str(exc).split())[:300] or type(exc).__name__
        raise FlowError(
            f"--to {request.target}: the Hub refused ({why}). Log in with a token that may write there (HF_TOKEN, or "
            "`hf auth login`), and push again: a data set changes in one commit, or not at all"
        ) from exc


def _to_store(target: str, files: Files) -> None:
    from pyarrow import ArrowException, fs

    address = target if target.startswith(STORES) else Path(target).absolute().as_uri()
    if "://" in target and not target.startswith(STORES):
        raise FlowError(
            f"--to {target}: is not an address that can be written to. Use hf:OWNER/NAME, s3://BUCKET/PREFIX or a "
            "folder"
        )
    try:
        store, root = store_at(address)
        there = {
            info.path.removeprefix(root).lstrip("/"): info
            for info in store.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True))
            if info.is_file
        }
        for name in there:
            if _digest(store.open_input_stream(f"{root}/{name}").read()) != _digest(files.get(name, b"")):
                raise FlowError(
                    f"--to {target}: already has a different file '{name}'. Name a new place; nothing was sent"
                )
        for name, content in files.items():
            if name not in there:
                if store.type_name == "local":  # object stores have no folders
                    store.create_dir(f"{root}/{name}".rpartition("/")[0], recursive=True)
                with store.open_output_stream(f"{root}/{name}") as sink:
                    sink.write(content)
    except (OSError, ArrowException) as exc:
        why = " ".join(str(exc).split())[:300]
        raise FlowError(
            f"--to {target}: cannot be written ({why}). Check the address and your credentials (AWS_PROFILE, "
            "AWS_ENDPOINT_URL), and push again: no file is sent twice"
        ) from exc


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
