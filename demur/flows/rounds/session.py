"""Sessions of rounds. A session checks the request, and holds the lock of the round while a process works on it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from demur.configuration.labels import judgings, labelled_judges, labelled_respondents
from demur.configuration.round_config import FRESH, RoundConfig
from demur.configuration.sections import ITEM_POLICY
from demur.configuration.settings import (
    check_writable,
    demur_home,
    keys_of,
    missing_keys,
    started_by,
    temporary_api_home,
)
from demur.engine.budget import check_prices
from demur.engine.context import RoundContext, digest_of, home_writing, loader_reading, loader_writing
from demur.engine.loading import make_loader, publish_home
from demur.engine.logs import observer
from demur.engine.progress_state import progress_written
from demur.engine.recordings import check_recordings
from demur.engine.round_lock import is_locked, round_lock
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError, StageStopped
from demur.flows.rounds.corpus_identity import check_question_files, identity_of, named_apart, notice_corpus
from demur.flows.rounds.request import RoundRequest, asks_again, requested_config
from demur.flows.stages.bases.draw import draw_order, open_corpus
from demur.lanes.keys import access_of
from demur.levers.catalogue import measured
from demur.levers.explain import LeverError
from demur.levers.policy_models import Policy
from demur.levers.vocabulary import Layout
from demur.rewards.prompts import own_prompts
from demur.warehouse.home import Home
from demur.warehouse.round_rows import (
    RoundRow,
    corpus_rows_of,
    finish_round,
    open_round,
    open_rounds,
    record_evaluations,
    require_unpruned,
)
from demur.warehouse.statements import write_rows
from demur.warehouse.tables import Table


def check_policies(context: RoundContext) -> None:
    """Check that the round's writer and grader support every policy, and that the prompts of the policies can be read.

    Raises:
        ConfigError: the writer or grader is a rules model without rules for a policy, two policies have the same name,
            or the prompts of a policy cannot be used.
        LeverError: a policy cannot be read.
    """
    roles = context.config.roles
    by_rules = {
        role: name
        for role, name in (("writer", roles.writer), ("grader", roles.grader))
        if name is not None and context.config.model_spec(name).lane.by_rule
    }
    names = [policy.name for policy in context.policies]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(
            f"fit.policies: {', '.join(twice)} is the name of several policies. Give each policy its own `name`"
        )
    problems = []
    for number, policy in enumerate(context.policies):
        place = f"fit.policies[{number}] '{policy.name}'"
        if "writer" in by_rules and not _is_written(policy):
            problems.append(
                f"{place}: roles.writer '{by_rules['writer']}' is a rules model, which has no phrases for this policy"
            )
        if "grader" in by_rules and (unknown := _ungraded(policy)):
            problems.append(
                f"{place}: roles.grader '{by_rules['grader']}' is a rules model, which has no patterns for "
                f"{', '.join(unknown[:5])}{' and others' if len(unknown) > 5 else ''}"
            )
    if problems:
        raise ConfigError("; ".join(problems) + ". Name a language model for that role, or one of our policies")
    for policy in context.policies:
        if policy.name != ITEM_POLICY:
            own_prompts(context, policy)


def _is_written(policy: Policy) -> bool:
    from demur.rules.roles.write import COMPOSERS

    return policy.name in COMPOSERS


def _ungraded(policy: Policy) -> list[str]:
    """Return the features of a policy that the rules grader cannot grade."""
    from demur.rules.roles.grade import has_patterns

    features = dict.fromkeys(name for behaviour in policy.behaviours for name in behaviour.features)
    return [name for name in features if not has_patterns(name, grounded_prompt=policy.name == ITEM_POLICY)]


def check_round(request: RoundRequest) -> RoundContext:
    """Check the configuration, catalogue, policies, keys and stored state of a round, and return the round's context.

    Raises:
        ConfigError: the configuration, the catalogue or a key is wrong or missing.
        LandingError: the state of the home cannot be used.
    """
    config, folder = requested_config(request)
    if config.sample is not None:
        raise ConfigError("sample: is a part of a release's items, for `demur evaluate` alone. Remove it from rounds")
    check_keys(config)  # the most frequent mistake, before anything is opened
    home = demur_home()
    shared_state(home).check_answers()  # before any file is changed
    if request.corpus is not None:
        config = named_apart(home, config, folder)
    round_id, seed = _round_id_and_seed(home, config, request.round_id)
    context = RoundContext(home, config, folder, round_id, seed, again=asks_again(request.again))
    check_models(context)
    check_contents(context)
    return context


def check_places(home: Home) -> None:
    """Check that files can be written in a home and, for a temporary Prefect server, in the folder of its database.

    Raises:
        WarehouseError: files cannot be written; the message gives cause and remedy.
    """
    check_writable(home.root)
    if (prefect_home := temporary_api_home()) is not None:
        check_writable(prefect_home)


def check_start(request: RoundRequest) -> RoundContext:
    """Check a round as `check_round` does, check also disk and corpus, and return the round's context.

    No Prefect server is needed or started.

    Raises:
        ConfigError, CorpusError: as `check_round`, or the corpus has too few base instances.
        LandingError: the state of the home cannot be used.
        WarehouseError: files cannot be written, see `check_places`.
    """
    check_places(demur_home())
    context = check_round(request)
    make_loader(context)
    if context.config.documents is not None:
        from demur.flows.stages.questions.read_documents import (
            check_documents,  # imports Prefect, which needs PREFECT_HOME
        )

        check_documents(context)
        with loader_reading(context) as con:
            notice_corpus(con, context, request)
        return context
    with loader_reading(context) as con:
        require_unpruned(con, context.round_id)
        notice_corpus(con, context, request)
        report = draw_order(context, con).report
    if report is not None and report.rows_read > report.rows_kept:
        observer().notice(f"corpus: {report}")
    return context


@contextmanager
def round_session(request: RoundRequest) -> Iterator[RoundContext]:
    """Check a round, hold its lock during the `with` block, and yield the round's context.

    The round gets a row in the table `rounds` with the status `open`.

    Raises:
        ConfigError, CorpusError: as `check_round`.
        RoundBusyError: another process works on the round.
    """
    context = check_round(request)
    with round_lock(context.home, context.round_id):
        with loader_writing(context) as con:
            require_unpruned(con, context.round_id)
            config = context.config
            identity = identity_of(context)
            known = {} if identity is None else {"corpus_identity": identity.record(config.corpus.name)}
            read = corpus_rows_of(con, context.round_id)  # until this start counts the rows again
            recorded = {**config.recorded(), **known, **({} if read is None else {"corpus_rows": read})}
            row = round_row(context, _layout(context), config.bases, recorded, context.catalogue.fingerprint)
            open_round(con, row)
            write_rows(con, Table.LEVERS_ON_OFFER, _levers(context), keys=[[context.round_id]])
        with progress_written(context.home, context.round_id, context.config.budget.max_usd):
            yield context


@contextmanager
def finished_session(
    context: RoundContext, row: RoundRow, evaluations: Sequence[Mapping[str, object]] = ()
) -> Iterator[None]:
    """Hold the lock of a round during the `with` block.

    If the block raises no error, the round is marked as finished and its results are published. If it raises
    `StageStopped` after the results so far were scored, these are published too.

    Args:
        context: The round.
        row: The row of the table `rounds`, written before the block.
        evaluations: Rows of the table `evaluations`. They are written before the block, and marked as scored after the
            block.

    Raises:
        RoundBusyError: another process works on the round.
    """
    with round_lock(context.home, context.round_id):
        with loader_writing(context) as con:
            open_round(con, row)
            record_evaluations(con, context.round_id, evaluations, scored=False)
        with progress_written(context.home, context.round_id, context.config.budget.max_usd):
            try:
                yield
            except StageStopped as exc:
                if exc.is_scored:
                    _end(context, evaluations, finished=False)
                raise
        _end(context, evaluations, finished=True)


def _end(context: RoundContext, evaluations: Sequence[Mapping[str, object]], *, finished: bool) -> None:
    """Mark a round as scored, and as finished if it is, and publish its results."""
    with loader_writing(context) as con:
        record_evaluations(con, context.round_id, evaluations, scored=True)
        if finished:
            finish_round(con, context.round_id)
    publish_home(context.home)


def _round_id_and_seed(home: Home, config: RoundConfig, round_id: str | None) -> tuple[str, int]:
    if not config.fresh:
        assert isinstance(config.seed, int)
        return round_id or config.round_id, config.seed
    if round_id is None:
        with home_writing(home) as con:
            unfinished = open_rounds(con, config.name, config.digest)
        free = [one for one, _ in unfinished if not is_locked(home, one)]
        started = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        round_id = free[0] if free else config.round_id.replace(FRESH, started)
    return round_id, int(digest_of("seed", round_id)[:15], 16)


def check_models(context: RoundContext) -> None:
    """Check that a round's models can be asked.

    Keys must be set, systems that are functions must be callable, and recordings must exist. If a cap is set, prices
    must be known.

    Raises:
        ConfigError: the message names all missing keys, recordings or prices.
        ProgramError: a key has signs that cannot be sent.
        PluginError: a system that is a function cannot be imported or called.
    """
    for spec in context.config.models:
        if spec.provider == "respondent":
            from demur.lanes.system_functions import system_at  # imports DSPy

            system_at(spec.model)
    check_keys(context.config)
    of_environment = [spec for spec in context.config.models if spec.api_key_block is None]
    keys = keys_of(of_environment)
    for spec in of_environment:
        access_of(spec, keys)
    check_recordings(context)
    check_prices(context)


def check_keys(config: RoundConfig) -> None:
    """Check that the keys of all models are set.

    Raises:
        ConfigError: the message names all missing keys.
    """
    missing = missing_keys(config.models)
    if missing:
        needed: dict[str, list[str]] = {}
        for name, variable in missing:
            needed.setdefault(variable, []).append(name)
        wanted = "; ".join(f"models {', '.join(names)}: {variable} is not set" for variable, names in needed.items())
        raise ConfigError(f"{wanted}. Export the keys, or name models that need none (provider: rules)")


def check_contents(context: RoundContext) -> None:
    """Check the levers, policies, compiled programs and files with questions of people of a round.

    Raises:
        ConfigError: one of them cannot be used, or the catalogue has no lever for a stratum.
        CorpusError: a file with questions of people cannot be used.
    """
    from demur.flows.stages.volumes import check_compiled  # programs take seconds to import

    check_question_files(context)
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


def round_row(
    context: RoundContext, layout: Layout, bases: int, recorded: Mapping[str, object], catalogue: str = ""
) -> RoundRow:
    """Return the row of the table `rounds` for a round or an evaluation.

    Args:
        context: The round.
        layout: The layout of its base instances.
        bases: The wanted number of base instances.
        recorded: The stored form of the configuration.
        catalogue: The fingerprint of the catalogue.
    """
    config = context.config
    roles = config.roles
    return RoundRow(
        round_id=context.round_id,
        name=config.name,
        seed=context.seed,
        layout=layout.value,
        bases_wanted=bases,
        screeners=roles.screeners,
        generators=roles.generators,
        verifiers=roles.verifiers,
        respondents=tuple(labelled_respondents(config)),
        judges=tuple(labelled_judges(config)),
        judgings=tuple({"respondent": one.respondent, "judge": one.judge} for one in judgings(config)),
        config=recorded,
        config_digest=config.digest,
        started_by=started_by(),
        catalogue_digest=catalogue,
    )


def _layout(context: RoundContext) -> Layout:
    documents = context.config.documents
    if documents is None:
        return next(open_corpus(context)).layout
    return Layout.MULTI if documents.neighbours else Layout.SINGLE


def _levers(context: RoundContext) -> list[dict[str, object]]:
    generation = context.config.generation
    return [
        {
            "round_id": context.round_id,
            "lever_id": lever.id,
            "lever": lever.name,
            "class": lever_class,
            "intensity": intensity,
            "origin": lever.origin,
            "target": lever.target,
            "answer": lever.answer,
            "recipe": lever.recipe,
            "hard": None if (reading := measured(lever.id)) is None else reading.hard,
        }
        for lever_class in generation.classes
        for intensity in generation.intensities
        for lever in context.catalogue.stratum(lever_class, intensity)
    ]
