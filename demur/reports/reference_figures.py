"""Figures that others reported of a benchmark, shown below measured scores and never ranked among them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import Field, ValidationError, field_validator

from demur.errors import ConfigError
from demur.levers.explain import first_fault
from demur.levers.lever_models import Strict
from demur.levers.vocabulary import Layout, LeverClass
from demur.reports.names import CLASSES, METRICS, OUTCOMES
from demur.reports.tables import ShownTable, named_table
from demur.reports.tables.formats import rate

PUBLISHED: Final = Path(__file__).with_name("reference_figures.yaml")
REPORTED: Final = (*METRICS, *(f"share_{outcome}" for outcome in OUTCOMES))
UNSTATED: Final = "unstated"
"""Licence of an imported set whose licence nobody stated."""
SHAPE: Final = (
    "A file has `sets`, each with `benchmark` (its name, or that of a release), `judge`, `source` and `figures`: "
    "{model, metric, value, place}"
)


class ReportedFigure(Strict):
    """One reported figure: a share, with its place in the source. `of` is the class of the items; None for all."""

    model: str = Field(min_length=1)
    metric: str
    value: float = Field(ge=0, le=1)
    se: float | None = Field(default=None, ge=0)
    of: LeverClass | None = None
    place: str = ""

    @field_validator("metric")
    @classmethod
    def _is_known(cls, metric: str) -> str:
        if metric not in REPORTED:
            raise ValueError(f"'{metric}' is not one of {', '.join(REPORTED)}")
        return metric


class Benchmark(Strict):
    """A benchmark with the figures that one source reported of it."""

    name: str = Field(alias="benchmark", min_length=1)
    judge: str
    source: str
    figures: tuple[ReportedFigure, ...] = Field(min_length=1)
    layout: Layout | None = None
    licence: str | None = None


class ReferenceFile(Strict):
    """A file of reported figures."""

    sets: tuple[Benchmark, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """Reported figures beside measured ones: a line that says whose they are, and the table."""

    line: str
    table: ShownTable


@cache
def read_reference(path: Path) -> tuple[Benchmark, ...]:
    """Return the benchmarks of a file of reported figures, in YAML or JSON.

    Raises:
        ConfigError: the file cannot be read, or has another form.
    """
    try:
        content = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
        return ReferenceFile.model_validate(content).sets
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read ({exc.strerror}). Give a file of reported figures. {SHAPE}") from exc
    except yaml.YAMLError as exc:
        raise ConfigError(f"{path}: is not YAML or JSON ({' '.join(str(exc).split())}). {SHAPE}") from exc
    except ValidationError as exc:
        raise ConfigError(f"{path}: {first_fault(exc)}. {SHAPE}") from exc


def benchmark_of(layout: Layout) -> Benchmark:
    """Return the published RefusalBench set of a layout."""
    return next(one for one in read_reference(PUBLISHED) if one.layout is layout)


def references(
    benchmark: str | None, release: str, judges: Iterable[str], files: Sequence[Path] = ()
) -> list[Reference]:
    """Return the reported figures of a benchmark: the published ones, then those of further files.

    Args:
        benchmark: the benchmark that the release was imported from; None for other releases.
        release: the label of the release. Further files may also name the release.
        judges: the judges of the measured scores.
        files: further files of reported figures.
    """
    known = {benchmark, release, release.partition("/")[0]} - {None}
    own = [one for path in files for one in read_reference(path) if one.name in known]
    published = [one for one in read_reference(PUBLISHED) if one.name == benchmark]
    measured = " and ".join(dict.fromkeys(judges))
    return [
        Reference(
            f"As reported by {one.source}, judged by {one.judge}" + (f", not by {measured}" if measured else ""),
            named_table("reference").shown(_rows(one.figures)),
        )
        for one in (*published, *own)
    ]


def _rows(figures: Sequence[ReportedFigure]) -> list[Mapping[str, Any]]:
    """Return one row for each model, in the order of the file."""
    columns = named_table("reference").columns
    found: dict[str, dict[str, Any]] = {}
    for one in figures:
        row = found.setdefault(one.model, {"model": one.model, "more": [], "place": []})
        row["place"].append(one.place)
        # The published answer quality takes the place of answer accuracy, as on boards.
        metric = "answer_accuracy" if one.metric == "answer_quality" else one.metric
        if one.of is None and metric in columns:
            row[metric] = one.value
        else:
            row["more"].append(f"{_in_words(one)} {rate(one.value)}")
    for row in found.values():
        row["more"] = "; ".join(row["more"]) or None
        row["place"] = ", ".join(filter(None, dict.fromkeys(row["place"]))) or None
    return list(found.values())


def _in_words(figure: ReportedFigure) -> str:
    """Return what a figure is the share of, for a metric without a column of its own."""
    kind = figure.metric.removeprefix("share_")
    name = f"{OUTCOMES[kind]} among all responses" if kind != figure.metric else METRICS[figure.metric]
    return f"{name.lower()}{f' ({CLASSES[figure.of].lower()})' if figure.of else ''}"
