"""The request to evaluate models on a frozen release, its configuration, and the session of the evaluation."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from demur.configuration.labels import recorded_with
from demur.configuration.models import UNVERSIONED, chosen_model, serves
from demur.configuration.round_config import RoundConfig
from demur.configuration.sections import Sample
from demur.configuration.settings import demur_home
from demur.engine.context import RoundContext, digest_of, judge_specs
from demur.engine.loading import make_loader
from demur.engine.logs import observer
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.flows.evaluations.release_sources import check_asked, check_code, is_trusted, of_a_stranger, verified_release
from demur.flows.rounds.asking import NOTHING_STOPS, without_generation
from demur.flows.rounds.request import RULES, asks_again, check_usd, find_round_config, read_round_config
from demur.flows.rounds.session import check_models, check_places, finished_session, round_row
from demur.flows.stages.responses.release_index import given_away
from demur.flows.stages.responses.release_items import FILE, asked_items, sample_in_words
from demur.lanes.spec import ModelSpec
from demur.levers.explain import first_fault
from demur.programs.options import PassageMode, Prompts
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import MANIFEST, Release, read_manifest
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

if TYPE_CHECKING:
    from demur.flows.planning.round_plan import RoundPlan


# The request to evaluate models on a frozen release, and the configuration derived from the request.


DECISIVE = (
    "response_replicates",
    "response_prompts",
    "elicit_confidence",
    "judge_replicates",
    "judge_codes",
    "passages",
)
"""Settings of a configuration that decide the requests of an evaluation."""
SETTINGS = (
    *(*DECISIVE, "respondent_prompts", "sample", "metrics", "score_replicates", "gates", "budget", "engine"),
    "shard_size",
    "batch_shard_size",
    "shards_at_once",
)
"""Settings of a round configuration that evaluations also have."""


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """A request to evaluate models on a release.

    The fields are the parameters of the flow and of `demur evaluate`.

    Attributes:
        release: NAME, NAME/VERSION, a folder, or the address of a release (hf://, https://, s3://).
        models: The respondents, such as openai:gpt-5 or always-refuses. If empty, the respondents of `round_config`.
        round_config: A configuration with respondents, judges, prompts and settings, in place of the release's.
        judge: A judge in place of the configuration's judges.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        replicates: The number of responses to each item, in place of the configuration's.
        occasion: A label, such as the week. With a new label, models are asked all items again, in a new evaluation.
        probe: If true, every model is asked for one token before anything is bought.
        again: With "invalid", judgements that could not be read are asked for again.
        prompts: The set of prompts for respondents (published, ours or plain), in place of the configuration's sets.
        items: The number of items to ask, drawn from all strata; None means all items.
        bases: The number of source questions to ask, each with all its items; None means all.
        seed: The seed with which `items` or `bases` are drawn, in place of the release's.
        passages: With "given", respondents are shown the passages of each item. With "index", systems get all passages
            of the release once and are then asked questions alone.
        trust_release: The SHA-256 of the release's manifest. Models are then asked as this release names them, although
            it was not frozen in this home. Given once, it is noted in the home.
    """

    release: str
    models: tuple[str, ...] = ()
    round_config: str | None = None
    judge: str | None = None
    max_usd: float | None = None
    replicates: int | None = None
    occasion: str | None = None
    probe: bool = True
    again: str | None = None
    prompts: str | None = None
    passages: str = PassageMode.GIVEN.value
    items: int | None = None
    bases: int | None = None
    seed: int | None = None
    trust_release: str | None = None

    def run_name(self, flow_name: str) -> str:
        """Return the name of a flow run: the release and `evaluate`."""
        return f"{self.release}/evaluate"


def evaluation_context(home: Home, request: EvaluationRequest, release: Release) -> RoundContext:
    """Return the context of an evaluation: a round that begins with the items of a release and ends with scores.

    The id of the evaluation ends in a hash of all that decides the responses and judgements: release, respondents,
    judges, prompts, replicates, the passages that respondents get, and `occasion`. A sample does not change the id: an
    evaluation of a larger sample goes on from a smaller one.

    Raises:
        ConfigError: the configuration or a model cannot be used.
    """
    trusted = is_trusted(home, release, request.trust_release)
    config, folder, notes = _configuration(request, release, trusted=trusted)
    if not request.models and request.round_config is None:
        raise ConfigError(
            "there is no respondent: name models with --model, systems with --system, or a configuration with "
            "respondents (--round-config)"
        )
    named = [chosen_model(text, config.models) for text in request.models]
    respondents = named or [config.model_spec(name) for name in config.roles.respondents]
    judges = [config.model_spec(name) for name in config.roles.judges]
    if request.judge is not None:
        judges = [chosen_model(request.judge, config.models, "--judge")]
        notes = ()
    judges, more = _who_judge(judges, respondents)
    notes += more + _unversioned(respondents)
    judging = [one for spec in judges for one in (spec, spec.fallback) if one is not None]
    models = {spec.name: spec for spec in (*judging, *respondents)}
    if request.round_config is None and not trusted:
        notes += check_asked(release, config, [*judging, *respondents])
    _check_roles(respondents, judging, models)
    kept: dict[str, Any] = {name: getattr(config, name) for name in SETTINGS}
    if request.max_usd is not None:
        kept["budget"] = config.budget.model_copy(update={"max_usd": request.max_usd})
    if request.replicates is not None:
        kept["response_replicates"] = request.replicates
    own = {  # another model of the same name is not the one that the configuration means
        spec.name: config.prompts_of(spec.name)
        for spec in respondents
        if spec.name in config.respondent_prompts and spec in config.models
    }
    kept |= {"respondent_prompts": own} | _kept_prompts(request, respondents)
    kept["passages"] = _passages(request, respondents)
    if (request.items, request.bases, request.seed) != (None, None, None):
        kept["sample"] = _sample(request)
    roles = {
        "respondents": tuple(spec.name for spec in respondents),
        "judges": tuple(spec.name for spec in judges),
    }
    seed = int(release.digest[:15], 16)
    update = {"name": release.label, "seed": seed, "models": tuple(models.values()), **kept}
    config = without_generation(config, Path(FILE), roles, update)
    context = RoundContext(home, config, folder, "evaluation", seed, release)
    decisive = [str(getattr(config, name)) for name in DECISIVE]
    if config.respondent_prompts:  # without any, the id is as it was before this setting
        decisive.append(str(config.respondent_prompts))
    asked = [
        (spec.name, spec.fingerprint)
        for spec in (*context.specs(config.roles.respondents), *judge_specs(context).values())
    ]
    evaluation = digest_of(release.digest, asked, len(respondents), decisive, request.occasion)[:10]
    _check_not_probes(release, context.specs(config.roles.respondents))
    if len(config.response_prompts) > 1 and any(spec.lane.reads_prompts for spec in respondents):
        notes = (
            *notes,
            f"models answer every item once with each set of prompts ({', '.join(config.response_prompts)}); "
            "--prompts asks with one",
        )
    round_id = f"{release.name}-{release.version}-{evaluation}"
    config = config.model_copy(update={"round_id": round_id})
    return RoundContext(home, config, folder, round_id, seed, release, notes, asks_again(request.again))


def _passages(request: EvaluationRequest, respondents: Sequence[ModelSpec]) -> PassageMode:
    """Return the request's value of `passages`: `given` or `index`.

    Raises:
        ConfigError: the value is another word, or it is `index` and a respondent is a bare model.
    """
    if request.passages not in list(PassageMode):
        raise ConfigError(f"--passages '{request.passages}' is not one of {', '.join(PassageMode)}")
    mode = PassageMode(request.passages)
    without = [spec.name for spec in respondents if not spec.lane.system]
    if mode is PassageMode.INDEX and without:
        raise ConfigError(
            f"--passages index: {', '.join(without)} is not a system and has no index. Evaluate it separately"
        )
    return mode


def _sample(request: EvaluationRequest) -> Sample:
    """Return the sample that a request names.

    Raises:
        ConfigError: a number is below 1, or the request has both numbers, or only a seed.
    """
    try:
        return Sample(items=request.items, bases=request.bases, seed=request.seed)
    except ValidationError as exc:
        given = f"--items {request.items}, --bases {request.bases}, --seed {request.seed}"
        raise ConfigError(f"{given}: {first_fault(exc)}") from exc


def _kept_prompts(request: EvaluationRequest, respondents: Sequence[ModelSpec]) -> dict[str, Any]:
    """Return the prompt settings that replace those of the configuration; {} if nothing is replaced.

    Systems always get plain prompts, which name no refusal codes.

    Raises:
        ConfigError: the set of prompts is unknown, or a respondent is a system and the set is not `plain`.
    """
    named = request.prompts
    if named is not None and named not in list(Prompts):
        raise ConfigError(f"prompts '{named}' is not one of {', '.join(Prompts)}")
    systems = [spec.name for spec in respondents if spec.lane.system]
    if systems and named not in (None, Prompts.PLAIN):
        raise ConfigError(
            f"--prompts {named}: {', '.join(systems)} is a system, and systems are told no refusal codes. Leave "
            "--prompts out"
        )
    if systems or named == Prompts.PLAIN:
        return {"response_prompts": (Prompts.PLAIN,), "respondent_prompts": {}, "elicit_confidence": False}
    return {} if named is None else {"response_prompts": (Prompts(named),), "respondent_prompts": {}}


def _unversioned(respondents: Sequence[ModelSpec]) -> tuple[str, ...]:
    """Return a note if systems have no version. Without a version, every command asks a system all items again."""
    names = [spec.name for spec in respondents if spec.version and spec.version.startswith(UNVERSIONED)]
    if not names:
        return ()
    return (
        f"{', '.join(names)} has no version, so that every command asks all items again. --system-version WORD keeps "
        "what that version has answered, and goes on with it after an interruption",
    )


def _who_judge(
    judges: Sequence[ModelSpec], respondents: Sequence[ModelSpec]
) -> tuple[list[ModelSpec], tuple[str, ...]]:
    """Return the judges of an evaluation, and notes for the user.

    A recorded judge may have no judgements of some respondents. Then its fallback judges these respondents, and there
    is a note about it.

    Raises:
        ConfigError: a recorded judge has neither judgements of the respondents nor a fallback.
    """
    found: dict[str, ModelSpec] = {}
    notes = []
    for judge in judges:
        new = [spec.name for spec in respondents if not recorded_with(judge, spec)]
        if judge.recording is None or not new:
            found[judge.name] = judge
            continue
        whose = f"judge '{judge.name}' answers from a recording, which has no judgements of {', '.join(new)}"
        if judge.fallback is None:
            raise ConfigError(f"{whose}. Name a judge: --judge [NAME=]PROVIDER:MODEL[,key=value...]")
        stand_in = judge.fallback
        judging = stand_in if len(new) == len(respondents) else judge
        found[judging.name] = judging
        how = "by rules" if stand_in.lane.by_rule else f"as {stand_in.model}"
        notes.append(f"{whose}: {stand_in.name} judges {', '.join(new)}, {how}. --judge names another judge")
    return list(found.values()), tuple(notes)


def recorded_config(context: RoundContext, occasion: str | None) -> dict[str, Any]:
    """Return an evaluation's configuration in the form that the warehouse stores.

    It has the settings, the models, the roles, and the name and digest of the evaluated release.
    """
    assert context.release is not None
    recorded = context.config.recorded()
    kept = {name: recorded[name] for name in ("name", "round_id", "seed", "models", *SETTINGS) if name in recorded}
    roles = {role: recorded["roles"][role] for role in ("respondents", "judges")}
    release: dict[str, Any] = {"release": context.release.label, "digest": context.release.digest, "occasion": occasion}
    if probes := _probes_of(context.release):
        release["probes"] = list(probes.values())
    if imported := read_manifest(context.release.path).model_dump().get("imported"):
        release["imported"] = {name: imported.get(name) for name in ("benchmark", "licence")}
    return {**kept, "roles": roles, "evaluates": release}


def _configuration(
    request: EvaluationRequest, release: Release, *, trusted: bool
) -> tuple[RoundConfig, Path, tuple[str, ...]]:
    """Return the configuration of an evaluation, the folder of its relative paths, and notes for the user.

    The configuration is that of the request or, if the request names none, that in the release's manifest. An imported
    set has none: its items are asked with the published prompts, and rules judge.

    Raises:
        ConfigError: the configuration cannot be read, or that of a release that is not trusted names code.
    """
    if request.round_config is not None:
        path = find_round_config(request.round_config)
        return read_round_config(path), path.resolve().parent, ()
    manifest = read_manifest(release.path).model_dump()
    if "imported" in manifest:
        config = read_round_config(find_round_config(RULES))
        judge = ", ".join(config.roles.judges)
        note = f"{release.label} was imported and names no judge: {judge} judges, by rules. --judge names a model"
        return config.model_copy(update={"gates": config.gates.model_copy(update=NOTHING_STOPS)}), Path.cwd(), (note,)
    if not trusted:
        check_code(release, manifest.get("configuration"))
    try:
        config = RoundConfig.model_validate(manifest.get("configuration"))
        return config if trusted else of_a_stranger(config), Path.cwd(), ()
    except ValidationError as exc:
        raise ConfigError(
            f"{release.path / MANIFEST}: configuration.{first_fault(exc)}. Another version of demur froze this "
            "release, so its judge and prompts cannot be used again: name a configuration with --round-config FILE"
        ) from exc


def _check_roles(respondents: Sequence[ModelSpec], judges: Sequence[ModelSpec], models: dict[str, ModelSpec]) -> None:
    names = [spec.name for spec in respondents]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(
            f"--model: {', '.join(twice)} is given more than once. Give each model its own name: NAME=PROVIDER:MODEL"
        )
    for role, specs in (("respondent", respondents), ("judge", judges)):
        for spec in specs:
            if models[spec.name] != spec:
                raise ConfigError(
                    f"'{spec.name}' names a respondent and a different judge. Rename one of them: NAME=PROVIDER:MODEL"
                )
            if not serves(spec, role):
                raise ConfigError(f"'{spec.name}' is {spec.model}, whose rules are for another role than {role}")


def _probes_of(release: Release) -> dict[str, str]:
    """Return the probes of a release. Keys are fingerprints, values are the names of the models."""
    manifest = read_manifest(release.path).model_dump()
    configuration: dict[str, Any] = manifest.get("configuration") or {}
    known = (configuration.get("generation") or {}).get("known") or {}
    return {manifest["models"][name]: name for name in known.get("probe", ())}


def _check_not_probes(release: Release, specs: Sequence[ModelSpec]) -> None:
    """Check that none of the respondents `specs` is a probe of the release.

    Raises:
        ConfigError: a respondent is a probe of the release.
    """
    probes = _probes_of(release)
    for spec in specs:
        if spec.fingerprint in probes:
            raise ConfigError(
                f"respondent '{spec.name}' is the probe '{probes[spec.fingerprint]}' of {release.label} (the same "
                "model and parameters): base instances were drawn by what it knows, so its score would mean nothing. "
                "Leave the respondent out, or evaluate it on another release"
            )


# Evaluations with an index from before each original text had all its base instances: what their systems could see.


BEFORE_TEXTS: Final = frozenset({"3589cadd3edb2c72"})
"""Digests of the question to a system with an index while only originals of the same base instance were left out."""


def copies_seen(con: Connection, evaluation: str, prompts_digest: str) -> str | None:
    """Return how many items of an evaluation were asked while copies of their original passages could be found.

    The result is a sentence, computed from the passages of the release. It is None for an evaluation without an index,
    and for an evaluation whose systems were told which copies to leave out.

    Args:
        con: from `reading`.
        evaluation: the id of the evaluation.
        prompts_digest: the digest of its prompts.
    """
    if prompts_digest not in BEFORE_TEXTS:
        return None
    given = given_away(records(con, "bases_of_evaluation", [evaluation]))
    to_refuse = [row["base_id"] for row in records(con, "items_to_refuse", [evaluation])]
    affected = sum(base in given for base in to_refuse)
    if not affected:
        return (
            f"Made before originals with the same text counted as one. None of {len(to_refuse)} items to refuse had a "
            "copy of its original passage in the index."
        )
    return (
        f"Made before originals with the same text counted as one. For {affected} of {len(to_refuse)} items to refuse "
        "the index had a copy of the original passage under another base instance, so that a system could find the "
        "answer there. Evaluate the system again."
    )


# Sessions of evaluations. A session checks the request, holds the evaluation's lock, and publishes the results.


def check_evaluation(request: EvaluationRequest) -> RoundContext:
    """Check an evaluation before its start, and return its context.

    Raises:
        ConfigError: a model, the configuration or a key is wrong or missing, or the release cannot be fetched.
        WarehouseError: the release is missing or altered, or the home cannot be written.
    """
    home = demur_home()
    check_places(home)
    if request.replicates is not None and not 1 <= request.replicates <= 100:
        raise ConfigError(f"replicates {request.replicates} must be from 1 to 100")
    if request.max_usd is not None:
        check_usd(request.max_usd)
    context = evaluation_context(home, request, verified_release(home, request.release))
    check_models(context)
    shared_state(home).check_answers()
    make_loader(context)
    return context


def planned_evaluation(request: EvaluationRequest) -> "RoundPlan":
    """Return the plan of an evaluation that would start now. No model is asked and no key is needed.

    Raises:
        ConfigError, WarehouseError: the evaluation could not start.
    """
    home = demur_home()
    context = evaluation_context(home, request, verified_release(home, request.release))
    from demur.flows.planning.round_plan import plan_of  # takes seconds; refusals come before

    return plan_of(context)


@contextmanager
def evaluation_session(request: EvaluationRequest) -> Iterator[RoundContext]:
    """Check an evaluation, hold its lock during the `with` block, and yield its context.

    If the block raises no error, the evaluation is marked as finished and its results are published.

    Raises:
        ConfigError, WarehouseError: as `check_evaluation`.
        RoundBusyError: another process works on the evaluation.
    """
    context = check_evaluation(request)
    assert context.release is not None
    items = asked_items(context)
    if not items:
        raise ConfigError(f"{context.release.path}: has no items, so there is nothing to answer")
    from demur.reports.score_provenance import evaluation_rows  # imports DSPy

    rows = list(evaluation_rows(context, context.release, request.occasion, sample_in_words(context)))
    for note in context.notes:
        observer().notice(note)
    bases = len({item.base_id for item in items})
    row = round_row(context, items[0].layout, bases, recorded_config(context, request.occasion))
    with finished_session(context, row, rows):
        yield context
