"""Loading of lever catalogues from YAML: demur's, the user's, or both."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from demur.levers.catalogue import Catalogue
from demur.levers.errors import LeverError
from demur.levers.explain import Problem, explain, field_name
from demur.levers.models import CatalogueFile, Lever
from demur.levers.vocabulary import LeverClass
from demur.levers.yaml_file import Source, plain_data, read_source, yaml_files

OURS = Path(__file__).parent / "catalogues"

LeverCheck = Callable[[Lever], Iterable[Problem]]
"""Yields faults of a valid lever; their paths begin at the lever."""


def load_catalogue(*paths: Path | None, check: LeverCheck | None = None) -> Catalogue:
    """Return the levers of files and directories as one catalogue; without paths, demur's catalogue.

    A path that is None stands for demur's catalogue: `load_catalogue(None, mine)` adds the levers of `mine`, and
    `load_catalogue(mine)` has these levers only. `check` finds further faults of each lever.

    Raises:
        LeverError: a lever is faulty or a file cannot be read; the message has one line for each fault.
    """
    paths = paths or (None,)
    return _ours() if paths == (None,) and check is None else _read(paths, check)


@cache
def _ours() -> Catalogue:
    return _read((None,), None)


def _read(paths: tuple[Path | None, ...], check: LeverCheck | None) -> Catalogue:
    files = [file for path in paths for file in yaml_files(OURS if path is None else path)]
    complaints: list[str] = []
    entries: list[tuple[Source, int, Lever]] = []
    for file in {file.resolve(): file for file in files}.values():
        try:
            source = read_source(file, "demur levers schema")
            entries += [(source, number, lever) for number, lever in enumerate(_levers(source, check))]
        except LeverError as exc:
            complaints.append(str(exc))
    complaints += _repeated(entries)
    if complaints:
        raise LeverError("\n".join(complaints))
    return Catalogue.of(lever for _, _, lever in entries)


def catalogue_schema() -> dict[str, object]:
    """Return the JSON Schema of a catalogue file, for editors."""
    schema: dict[str, object] = CatalogueFile.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "demur lever catalogue"}


def _levers(source: Source, check: LeverCheck | None) -> tuple[Lever, ...]:
    data = plain_data(source)
    problems: list[Problem] = []
    try:
        CatalogueFile.model_validate(data)
    except ValidationError as exc:
        problems += explain(exc, CatalogueFile)
    lever_class = data.get("class")
    rows = data.get("levers")
    if lever_class not in list(LeverClass) or not isinstance(rows, list):
        raise source.error(problems)
    faulty = {problem.path[1] for problem in problems if problem.path[0] == "levers" and len(problem.path) > 1}
    levers = []
    for number, row in enumerate(rows):
        if number in faulty:
            continue
        try:
            levers.append(Lever.model_validate({**row, "lever_class": lever_class}))
        except ValidationError as exc:
            problems += explain(exc, Lever, at=("levers", number))
        else:
            problems += _beyond_shape(levers[-1], number, check)
    if problems:
        raise source.error(problems)
    return tuple(levers)


def _beyond_shape(lever: Lever, number: int, check: LeverCheck | None) -> Iterator[Problem]:
    for problem in check(lever) if check else ():
        path = ("levers", number, *problem.path)
        yield Problem(path, f"{field_name(path)} {problem.message}")


def _repeated(entries: Iterable[tuple[Source, int, Lever]]) -> Iterator[str]:
    first: dict[tuple[str, str], tuple[Source, int]] = {}
    for source, number, lever in entries:
        for field, value in (("id", lever.id), ("name", lever.name)):
            key = (field, value.casefold())
            if key in first:
                other, at = first[key]
                place = f"{other.name}:{other.line(('levers', at, field))}"
                message = f"levers[{number}].{field} '{value}' is also at {place}. Rename one of the two"
                yield str(source.error([Problem(("levers", number, field), message)]))
            else:
                first[key] = (source, number)
