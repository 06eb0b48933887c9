"""Differences between two releases: items, levers, prompts, models, and scores of respondents that are in both."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from demur.errors import FlowError
from demur.flows.evaluations import REPLICATES
from demur.flows.evaluations.release_sources import verified_release
from demur.flows.stages.responses.release_items import ReleasedItem, released_items
from demur.reports.comparison_pages import ReleaseDiff
from demur.scoring import SEED
from demur.scoring.metrics import METRIC_NAMES
from demur.scoring.model_comparisons import drift
from demur.scoring.table_rows import HEADLINES
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import Release, read_manifest

COMPARED: Final = (*HEADLINES, "detection_f1", "category_accuracy", "hierarchical_refusal_score")
SHORT: Final = {"crs": "calibrated_refusal_score"}
_CONDITION: Final = re.compile(r"\s*(\w+)\s+(drop|rise|change)\s*>\s*([0-9]*\.?[0-9]+)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """An unwanted change of a metric.

    Attributes:
        text: The condition as written.
        metric: The metric.
        direction: drop, rise or change (either direction).
        most: The largest allowed change.
    """

    text: str
    metric: str
    direction: str
    most: float

    def broken_by(self, difference: float) -> bool:
        """Return whether a difference (second release minus first) is an unwanted change."""
        change = {"drop": -difference, "rise": difference, "change": abs(difference)}[self.direction]
        return change > self.most


def condition(text: str) -> Condition:
    """Return the condition for a text such as `crs drop > 0.02`.

    Raises:
        FlowError: the text is no condition.
    """
    found = _CONDITION.fullmatch(text)
    metric = "" if found is None else SHORT.get(found[1], found[1])
    if found is None or metric not in COMPARED:
        raise FlowError(
            f"--fail-on '{text}' is not a condition. Write METRIC drop|rise|change > NUMBER, as in \"crs drop > "
            '0.02"; '
            f"metrics are crs, {', '.join(name for name in METRIC_NAMES if name in COMPARED)}"
        )
    return Condition(text.strip(), metric, found[2], float(found[3]))


def broken(diff: ReleaseDiff, conditions: Sequence[Condition]) -> Iterator[str]:
    """Yield a sentence for each unwanted change.

    Raises:
        FlowError: the scores of the releases cannot be compared.
    """
    if conditions and diff.scoring_versions:
        raise FlowError(
            f"--fail-on '{conditions[0].text}': the scores of {diff.first} are of scoring version "
            f"{diff.scoring_versions[0]}, those of {diff.second} of {diff.scoring_versions[1]}, so they cannot be "
            "compared. Evaluate the respondents on both releases with one version of demur (`demur evaluate`)"
        )
    for wanted in conditions:
        for row in diff.scores:
            if row["metric"] == wanted.metric and row["difference"] is not None and wanted.broken_by(row["difference"]):
                yield (
                    f"{wanted.text}: {row['respondent']}, judged by {row['judge']}, went from {row['first']:.3f} to "
                    f"{row['second']:.3f}"
                )


def release_diff(home: Home, first: str, second: str) -> ReleaseDiff:
    """Return the differences between two releases, after a comparison of their files with their manifests.

    `first` and `second` are names of releases, folders or addresses.

    Raises:
        WarehouseError, ConfigError: a release is missing or altered.
    """
    releases = [verified_release(home, place) for place in (first, second)]
    items = [list(released_items(release)) for release in releases]
    manifests = [read_manifest(release.path).model_dump() for release in releases]
    versions = [scoring_version_of(release.path) for release in releases]
    mixed = versions[0] != versions[1]
    return ReleaseDiff(
        first=releases[0].label,
        second=releases[1].label,
        same=releases[0].digest == releases[1].digest,
        strata=_counted(items, lambda item: f"{item.perturbation_class} {item.intensity}"),
        levers=_counted(items, lambda item: str(item.lever_id)),
        items=_shared(items),
        prompts=_changes(manifests, "programs"),
        models=_changes(manifests, "models"),
        settings=_settings(manifests),
        scores=[] if mixed else list(_scores(releases, items, manifests)),
        scoring_versions=versions if mixed else (),
    )


def _counted(items: Sequence[Sequence[ReleasedItem]], named: Any) -> list[dict[str, Any]]:
    """Count perturbed items in the first release, in the second release, and in both; return a row for each group.

    `named` takes an item and returns its group, such as its lever.
    """
    counts = [Counter(named(item) for item in own if item.kind == "perturbed") for own in items]
    ids = [{item.id for item in own} for own in items]
    shared = Counter(named(item) for item in items[0] if item.kind == "perturbed" and item.id in ids[1])
    return [
        {"name": name, "first": counts[0][name], "second": counts[1][name], "in_both": shared[name]}
        for name in sorted({*counts[0], *counts[1]})
    ]


def _shared(items: Sequence[Sequence[ReleasedItem]]) -> dict[str, int]:
    ids, bases = ([{getattr(item, name) for item in own} for own in items] for name in ("id", "base_id"))
    return {
        "first": len(ids[0]),
        "second": len(ids[1]),
        "in_both": len(ids[0] & ids[1]),
        "bases_first": len(bases[0]),
        "bases_second": len(bases[1]),
        "bases_in_both": len(bases[0] & bases[1]),
    }


def _changes(manifests: Sequence[Mapping[str, Any]], part: str) -> list[dict[str, Any]]:
    """Return the names with different fingerprints in one part of two manifests, such as the names of models."""
    first, second = (manifest.get(part) or {} for manifest in manifests)
    return [
        {"name": name, "first": first.get(name), "second": second.get(name)}
        for name in sorted({*first, *second})
        if first.get(name) != second.get(name)
    ]


def _settings(manifests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the settings that differ between the configurations in two manifests. The key `models` is ignored."""
    flat = [dict(_flat(manifest.get("configuration") or {})) for manifest in manifests]
    return [
        {"name": name, "first": flat[0].get(name), "second": flat[1].get(name)}
        for name in sorted({*flat[0], *flat[1]})
        if flat[0].get(name) != flat[1].get(name)
    ]


def _flat(part: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in part.items():
        if name == "models" and not above:
            continue
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", str(value)


def _scores(
    releases: Sequence[Release], items: Sequence[Sequence[ReleasedItem]], manifests: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield differences between scores (second release minus first) with intervals.

    Only respondents and judges with the same name and fingerprint in both releases are compared. If a judge judged each
    response several times, only its first judgements are compared.
    """
    models = [manifest.get("models") or {} for manifest in manifests]
    frames = [_responses(release, own) for release, own in zip(releases, items, strict=True)]
    judges = sorted(name for name in set(frames[0]["judge"]) & set(frames[1]["judge"]) if "#" not in name)
    for judge in (name for name in judges if _same(models, name)):
        sides = [frame[frame["judge"] == judge].reset_index(drop=True) for frame in frames]
        of_both = {name for name in set(sides[0]["model"]) & set(sides[1]["model"]) if _same(models, name)}
        sides = [side[side["model"].isin(of_both)].reset_index(drop=True) for side in sides]
        if not of_both:
            continue
        values = [_values(release) for release in releases]
        for moved in drift(*sides, replicates=REPLICATES, seed=SEED, metrics=COMPARED):
            key = (str(moved["respondent"]), judge, str(moved["metric"]))
            yield {"judge": judge, "first": values[0].get(key), "second": values[1].get(key), **moved}


def scoring_version_of(folder: Path) -> int:
    """Return the scoring version of the scores of a release. Releases from before the first number are of version 1."""
    scores = pd.read_parquet(folder / "scores.parquet")
    stated = scores["scoring_version"].dropna() if "scoring_version" in scores else ()
    return int(max(stated, default=1))


def _same(models: Sequence[Mapping[str, str]], label: str) -> bool:
    name = re.split(r"[ #]", label)[0]
    return models[0].get(name) is not None and models[0].get(name) == models[1].get(name)


def _values(release: Release) -> dict[tuple[str, str, str], float | None]:
    rows = pd.read_parquet(release.path / "scores.parquet").to_dict("records")
    return {
        (row["respondent"], row["judge"], row["metric"]): None if pd.isna(row["value"]) else float(row["value"])
        for row in rows
        if row["slice"] == "overall"
    }


def _responses(release: Release, items: Sequence[ReleasedItem]) -> pd.DataFrame:
    """Return a release's judged responses with the columns that `scoring.model_comparisons.drift` takes.

    A response without a judgement is INVALID.
    """
    described = pd.DataFrame(
        {
            "item_id": [item.id for item in items],
            "source_id": [item.base_id for item in items],
            "kind": [item.kind for item in items],
            "class": [item.perturbation_class for item in items],
            "intensity": [item.intensity for item in items],
            "expected": [item.expected_rag_behavior.value for item in items],
            "layout": [item.layout.value for item in items],
        }
    )
    given = pd.read_parquet(release.path / "responses.parquet")
    given = given.drop_duplicates(["response_id", "judge"]).rename(columns={"respondent": "model"})
    wanted = given[["model", "judge", "replicate"]].dropna(subset=["judge"]).drop_duplicates()
    columns = ["predicted", "quality", "correct", "eligible", "supported_all", "supported_relevant", "confidence"]
    keys = ["item_id", "model", "judge", "replicate"]
    frame = described.merge(wanted, how="cross").merge(given[[*keys, *columns]], how="left", on=keys)
    frame["predicted"] = frame["predicted"].fillna("INVALID")
    return frame.astype(object).where(frame.notna(), None)
