"""Opening a round: which one it is, that nobody else works on it, and that nothing it needs is missing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from demur.flows.compiled import check_compiled
from demur.flows.context import LOADER_WAIT_SECONDS, RoundContext, digest_of, patient_reading, patient_writing
from demur.flows.corpora.corpus import CorpusFormat
from demur.flows.corpora.draw import draw_order, open_corpus
from demur.flows.errors import ConfigError
from demur.flows.judgings import judgings_of
from demur.flows.money.budget import check_prices
from demur.flows.policy_rules import check_policies
from demur.flows.progress import observer
from demur.flows.respondings import respondings_of
from demur.flows.round_config import FRESH, RoundConfig, find_round_config, read_round_config
from demur.flows.round_lock import is_locked, round_lock
from demur.flows.settings import check_writable, demur_home, missing_keys, temporary_api_home
from demur.levers.errors import LeverError
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.rounds import LeverRow, RoundRow, offer_levers, open_round, open_rounds


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """Which round somebody asks for: a configuration, and what to take in place of what it says.

    `config` is a file or the name of one of ours; `corpus` replaces its corpus file, written FILE or FORMAT:FILE, and
    names the round after it; `bases` replaces its number of base instances, `max_usd` the most that the round may cost.
    Without a `round_id`, a fresh configuration continues its unfinished round if it has one, else starts another.
    """

    config: str
    round_id: str | None = None
    corpus: str | None = None
    bases: int | None = None
    max_usd: float | None = None


def check_round(wanted: RoundRequest) -> RoundContext:
    """Return the context of a round after looking at everything that can be wrong with it before it starts.

    Raises:
        ConfigError: the configuration, the catalogue or a key is wrong or missing.
        CorpusError: the corpus cannot be read.
    """
    path = find_round_config(wanted.config)
    settings = configured(path, wanted.corpus, wanted.bases, wanted.max_usd)
    home = demur_home()
    chosen, seed = _which_round(home, settings, wanted.round_id)
    context = RoundContext(home, settings, path.resolve().parent, chosen, seed)
    _check(context)
    return context


def check_start(wanted: RoundRequest) -> RoundContext:
    """Return the context of a round after `check_round`, and after a look at what reading and writing alone tells.

    For those who wait for an answer: Prefect need not have been started.

    Raises:
        ConfigError, CorpusError: as `check_round`, or the corpus has not as many base instances as the round wants.
        WarehouseError: DEMUR_HOME, or where a temporary Prefect API keeps its files, takes none.
    """
    check_writable(demur_home().root)
    if (prefect_home := temporary_api_home()) is not None:
        check_writable(prefect_home)
    context = check_round(wanted)
    with patient_writing(context):
        pass  # a first look at a new home makes it
    with patient_reading(context) as con:
        draw_order(context, con)
    return context


@contextmanager
def round_session(wanted: RoundRequest) -> Iterator[RoundContext]:
    """Yield the context of a checked round, written down as open, and keep other processes off it.

    Raises:
        ConfigError, CorpusError: as `check_round`.
        RoundBusyError: another process works on this round.
    """
    context = check_round(wanted)
    with round_lock(context.home, context.round_id):
        with patient_writing(context) as con:
            open_round(con, _row(context))
            offer_levers(con, context.round_id, _levers(context))
        yield context


def configured(path: Path, corpus: str | None, bases: int | None, max_usd: float | None = None) -> RoundConfig:
    """Return a round's configuration, with another corpus, number of base instances or cap where they are given.

    Raises:
        ConfigError: the file cannot be used, or the replacement is none.
    """
    config = read_round_config(path)
    update: dict[str, Any] = {}
    if corpus is not None:
        prefix, _, rest = corpus.partition(":")
        named = prefix in set(CorpusFormat)
        file = Path(rest if named else corpus)
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", file.stem).strip(".-_")[:48] or "corpus"
        replaced = {"path": file.resolve(), "format": CorpusFormat(prefix) if named else config.corpus.format}
        update["corpus"] = config.corpus.model_copy(update=replaced)
        update |= {"name": name, "round_id": f"{name}-{FRESH}" if config.fresh else name}
    if bases is not None:
        if bases < 1:
            raise ConfigError(f"bases {bases} must be at least 1")
        update["bases"] = bases
    if max_usd is not None:
        if not 0 <= max_usd < float("inf"):
            raise ConfigError(f"max-usd {max_usd} must be an amount of US dollars, 0 or more")
        update["budget"] = config.budget.model_copy(update={"max_usd": max_usd})
    return config.model_copy(update=update)


def _which_round(home: Home, config: RoundConfig, round_id: str | None) -> tuple[str, int]:
    if not config.fresh:
        assert isinstance(config.seed, int)
        return round_id or config.round_id, config.seed
    if round_id is None:
        with writing(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().waiting) as con:
            unfinished = open_rounds(con, config.name, config.digest)
        free = [found for found, _ in unfinished if not is_locked(home, found)]
        started = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        round_id = free[0] if free else config.round_id.replace(FRESH, started)
    return round_id, int(digest_of("seed", round_id)[:15], 16)


def _check(context: RoundContext) -> None:
    missing = missing_keys(context.config.models)
    if missing:
        needed: dict[str, list[str]] = {}
        for name, variable in missing:
            needed.setdefault(variable, []).append(name)
        wanted = "; ".join(f"models {', '.join(names)}: {variable} is not set" for variable, names in needed.items())
        raise ConfigError(f"{wanted}. Export the keys, or name models that need none (provider: rules)")
    check_prices(context)
    try:
        catalogue = context.catalogue
        check_policies(context)
        check_compiled(context)
    except LeverError as exc:
        raise ConfigError(str(exc)) from exc
    generation = context.config.generation
    empty = [
        f"{lever_class} {intensity}"
        for lever_class in generation.classes
        for intensity in generation.intensities
        if not catalogue.stratum(lever_class, intensity)
    ]
    if empty:
        raise ConfigError(
            f"the catalogue has no lever for {', '.join(empty)}. Add levers, or leave the strata out of "
            "generation.classes and generation.intensities"
        )


def _row(context: RoundContext) -> RoundRow:
    config, roles = context.config, context.config.roles
    return RoundRow(
        round_id=context.round_id,
        name=config.name,
        seed=context.seed,
        layout=next(open_corpus(context)).layout.value,
        bases_wanted=config.bases,
        screeners=roles.screeners,
        generators=roles.generators,
        verifiers=roles.verifiers,
        respondents=tuple(respondings_of(config)),
        judges=tuple(judgings_of(config)),
        config=recorded_config(config),
        config_digest=config.digest,
        catalogue_digest=context.catalogue.fingerprint,
    )


def _levers(context: RoundContext) -> list[LeverRow]:
    generation = context.config.generation
    return [
        LeverRow(
            lever_id=lever.id,
            lever=lever.name,
            lever_class=lever_class.value,
            intensity=intensity.value,
            origin=lever.origin.value,
            target=lever.target.value,
            answer=lever.answer.value,
            recipe=lever.recipe,
        )
        for lever_class in generation.classes
        for intensity in generation.intensities
        for lever in context.catalogue.stratum(lever_class, intensity)
    ]


def recorded_config(config: RoundConfig) -> dict[str, Any]:
    """Return the configuration as it is written down: files by name, so that no path of a machine is published."""
    recorded: dict[str, Any] = config.model_dump(mode="json")
    recorded["corpus"]["path"] = config.corpus.path.name
    recorded["catalogue"]["paths"] = [path.name for path in config.catalogue.paths]
    recorded["compiled"] = {
        name: None if path is None else path.name
        for name, path in (("grader", config.compiled.grader), ("verifier", config.compiled.verifier))
    }
    recorded["fit"] |= config.fit.files_by_name()
    return recorded
