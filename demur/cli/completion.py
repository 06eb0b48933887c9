"""Shell completion of round configurations, rounds and releases. If an error occurs, no completions are offered."""

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path

Complete = Callable[[str], list[str]]


def _quietly(names: Callable[[str], Iterator[str]]) -> Complete:
    """Wrap `names`: keep the names that begin with the typed text. After an error, there are no names."""

    @wraps(names)
    def complete(incomplete: str) -> list[str]:
        try:
            return [name for name in names(incomplete) if name.startswith(incomplete)]
        except Exception:
            return []

    return complete


@_quietly
def complete_config(incomplete: str) -> Iterator[str]:
    """Yield names of our round configurations, and YAML files."""
    from demur.configuration.round_config import SHIPPED

    yield from sorted(path.stem for path in SHIPPED.glob("*.yaml"))
    folder = Path(incomplete).parent if "/" in incomplete else Path()
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield f"{path}/"
        elif path.suffix in {".yaml", ".yml"}:
            yield str(path)


@_quietly
def complete_round(incomplete: str) -> Iterator[str]:
    """Yield ids of rounds, the newest first."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.connection import reading
    from demur.warehouse.records import records

    with reading(demur_home(), wait_seconds=1) as con:
        yield from (str(row["round_id"]) for row in records(con, "rounds_by_age"))


@_quietly
def complete_evaluation(incomplete: str) -> Iterator[str]:
    """Yield ids of evaluations, the newest first."""
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    with reading(demur_home(), wait_seconds=1) as con:
        yield from (str(row["evaluation"]) for row in named_table("evaluations").read(con).records)


@_quietly
def complete_release(incomplete: str) -> Iterator[str]:
    """Yield releases as NAME and as NAME/VERSION."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.release import labels

    found = labels(demur_home())
    yield from dict.fromkeys(label.partition("/")[0] for label in found)
    yield from found
