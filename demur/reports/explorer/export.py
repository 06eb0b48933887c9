"""Export of a round's pages as files, and releases opened as homes."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from demur.errors import FlowError
from demur.reports.explorer import comparisons, items, pages
from demur.reports.explorer.pages import Page
from demur.reports.explorer.queries import ItemFilter
from demur.reports.pages.rendering import SCRIPT, STYLE, To, asset, render, within
from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import Release, read_manifest, release_at, releases
from demur.warehouse.results.released import fill_from_release
from demur.warehouse.results.snapshots import Snapshot

# Export of a round's pages as files, which any web server or browser opens without demur or a network.


LIST_ROWS: Final = 1_000_000
SHORT_CHARACTERS: Final = 12
_STRATUM: Final = {"class", "intensity"}
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class ExportedPages:
    """Result of an export; `size` is in bytes."""

    folder: Path
    files: int
    size: int
    items: int


@dataclass(slots=True)
class _Files:
    """Writes pages into a folder, with relative links."""

    folder: Path
    round_id: str
    items: Mapping[str, str]
    levers: frozenset[str]
    strata: frozenset[tuple[str, str]]
    written: int = 0
    size: int = 0
    places: Mapping[str, str] = field(
        default_factory=lambda: {
            "rounds": "index.html", "round": "index.html", "results": "results.html",
            "levers": "levers.html", "compare": "respondents.html",
            "judges": "judges.html", "audit": "audit.html",
        }
    )  # fmt: skip

    def links(self, here: str) -> To:
        """Return the function that returns addresses of pages, relative to the page at `here`."""
        folder = here.rpartition("/")[0]

        def to(page: str, /, **values: object) -> str | None:
            place = self._place(page, {name: value for name, value in values.items() if value is not None})
            if place is None or not folder:
                return place
            return place.removeprefix(f"{folder}/") if place.startswith(f"{folder}/") else f"../{place}"

        return to

    def _place(self, page: str, values: dict[str, object]) -> str | None:
        if values.pop("round", self.round_id) != self.round_id:
            return None
        if page == "file":
            return str(values["name"])
        if page == "item":
            name = self.items.get(str(values["id"]))
            return None if name is None else f"items/{name}.html"
        if page == "lever":
            return f"levers/{_name(values['lever'])}.html" if values["lever"] in self.levers else None
        if page == "items":
            values.pop("status", None)
            values.pop("sort", None)
            if not values:
                return "items.html"
            stratum = (str(values.get("class")), str(values.get("intensity")))
            return f"{_list_name(*stratum)}.html" if set(values) == _STRATUM and stratum in self.strata else None
        return self.places.get(page) if not values else None

    def write(self, place: str, made: Page | bytes) -> None:
        """Write a page or a file to the path `place` in the folder."""
        data = made
        if isinstance(made, Page):
            shown: dict[str, Any] = {**made.context, "exported": True}
            data = render(made.template, self.links(place), **shown).encode()
        assert isinstance(data, bytes)
        path = self.folder / place
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        self.written += 1
        self.size += len(data)


def export_round(
    snapshot: Snapshot,
    round_id: str,
    folder: Path,
    *,
    results: Page,
    whole: bool = True,
    on_progress: Callable[[str], None] | None = None,
) -> ExportedPages:
    """Write the pages of a round's items, levers, respondents, judges and audit into a folder.

    Args:
        snapshot: of the warehouse that holds the round.
        round_id: the round.
        folder: made if missing; an existing one must be empty.
        results: the page of the round's results.
        whole: False if the warehouse has only a release's data, without rejections.
        on_progress: is called with a line such as "200 of 450 items" after every 200 items.

    Raises:
        FlowError: there is no such round, or the folder is not empty.
        WarehouseError: the disk is full or not writable.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise FlowError(f"{folder} is not empty: name a new folder, or empty this one")

    def listed(**wanted: str) -> Page:
        found = ItemFilter.of(wanted.items())
        return pages.items_page(snapshot, round_id, found, within, choices=False, limit=LIST_ROWS)

    everything = listed(status="sampled")
    all_levers = items.levers_page(snapshot, round_id)
    rows = everything.context["table"].rows
    ids = [row["id"] for row in (*rows, *listed(status="control").context["table"].rows)]
    strata = frozenset((row["class"], row["intensity"]) for row in rows)
    pulled = [row["lever_id"] for row in all_levers.context["levers"].table.records if row["pulled"]]
    with disk_explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        files = _Files(folder, round_id, _short_names(ids), frozenset(pulled), strata)
        single: dict[str, Page | bytes] = {
            **{name: asset(name) for name in (STYLE, SCRIPT)},
            "index.html": pages.round_page(snapshot, round_id, None, whole=whole),
            "results.html": results,
            "items.html": everything,
            "levers.html": all_levers,
            "respondents.html": comparisons.compare_page(snapshot, round_id, {}),
            "judges.html": comparisons.judges_page(snapshot, round_id, {}),
            "audit.html": pages.audit_page(snapshot, round_id, None, form=False),
        }
        for place, made in single.items():
            files.write(place, made)
        for lever_class, intensity in sorted(strata):
            page = listed(**{"class": lever_class, "intensity": intensity, "status": "sampled"})
            files.write(f"{_list_name(lever_class, intensity)}.html", page)
        for lever in pulled:
            files.write(f"levers/{_name(lever)}.html", items.lever_page(snapshot, round_id, lever))
        wanted = ItemFilter(status="sampled")
        for at, item_id in enumerate(ids, start=1):
            files.write(f"items/{files.items[item_id]}.html", items.item_page(snapshot, round_id, item_id, wanted))
            if on_progress is not None and at % 200 == 0:
                on_progress(f"{at} of {len(ids)} items")
    return ExportedPages(folder, files.written, files.size, len(ids))


def _name(identifier: object) -> str:
    """Return an id as a file name: unsafe characters become underscores."""
    return _UNSAFE.sub("_", str(identifier)).lstrip(".") or "_"


def _short_names(ids: Sequence[str]) -> dict[str, str]:
    """Return file names by item id: the first characters of each id, or whole ids if the short names are not unique."""
    short = {one: _name(one)[:SHORT_CHARACTERS] for one in ids}
    return short if len(set(short.values())) == len(short) else {one: _name(one) for one in ids}


def _list_name(lever_class: str, intensity: str) -> str:
    return f"items-{_name(lever_class)}-{_name(intensity)}"


# Opening of a release as a home, so that the explorer can show it.


@contextmanager
def opened_release(home: Home, label: str) -> Iterator[tuple[Home, Release]]:
    """Yield a home with the round of a release, and the release.

    If a round of `home` made the release, `home` itself is yielded. For a copied folder of a release and for an
    imported set, a temporary home is filled from the release's files: items with verdicts, responses with judgements,
    scores, and costs of requests.

    Raises:
        WarehouseError: there is no such release, or its files cannot be read.
    """
    found = release_at(home, label)
    imported = "imported" in read_manifest(found.path).model_dump()
    if not imported and home.published.exists() and found.path in {one.path for one in releases(home)}:
        yield home, found
        return
    with tempfile.TemporaryDirectory() as folder:
        made = Home(Path(folder))
        fill_from_release(made, found)
        yield made, found
