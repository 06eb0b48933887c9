"""Rounds without generation: models are asked about texts from files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from demur.configuration.corpus_section import CorpusChoice
from demur.configuration.models import Roles, serves
from demur.configuration.round_config import BaseReuse, CatalogueChoice, Reuse, RoundConfig
from demur.configuration.sections import CompiledPrograms, Verification
from demur.configuration.settings import started_by
from demur.corpora.corpus import CorpusFormat
from demur.engine.context import GivenFile, RoundContext, digest_of
from demur.engine.loading import make_loader
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.flows.rounds.request import RULES, check_usd, find_round_config, read_round_config
from demur.flows.rounds.session import check_models, check_places
from demur.lanes.spec import ModelSpec
from demur.levers.vocabulary import Layout
from demur.programs.options import Grading
from demur.warehouse.home import Home
from demur.warehouse.round_rows import RoundRow

NOTHING_STOPS: Final = {"failure_rate": 1.0, "unreadable": 1.0}
"""Gates of rounds without generation: unanswered and unreadable lines are listed and never stop the round."""


def without_generation(
    config: RoundConfig, path: Path, roles: Mapping[str, object], update: Mapping[str, object]
) -> RoundConfig:
    """Return a copy of a configuration for a round without generation.

    Args:
        config: The configuration.
        path: The file with the texts; it becomes the corpus of the configuration.
        roles: The names of the models in each role. Roles that are not named have no model.
        update: Further fields to replace.
    """
    empty = {
        name: () if isinstance(given, tuple) else None if Roles.model_fields[name].default is None else ""
        for name, given in config.roles
    }
    return config.model_copy(
        update={
            "roles": config.roles.model_copy(update={**empty, **roles}),
            "corpus": CorpusChoice(path=path, format=CorpusFormat.DEMUR),
            "base_reuse": BaseReuse(policy=Reuse.ALLOW),
            "catalogue": CatalogueChoice(),
            "verification": Verification(),
            "compiled": CompiledPrograms(),
            "generation": config.generation.model_copy(update={"lever_choice": "assigned"}),
            **update,
        }
    )


def asking_context(
    home: Home,
    round_id: str,
    spec: ModelSpec,
    role: str,
    *,
    policy: str | None = None,
    grading: Grading = Grading.PROPOSITIONS,
    max_usd: float | None = None,
    given: GivenFile | None = None,
) -> RoundContext:
    """Return the context of a round in which one model grades, rates or judges texts.

    Args:
        home: The home of the round.
        round_id: The id and name of the round.
        spec: The model.
        role: The role of the model: grader, rater or judge.
        policy: The policy of a grader: the name of a shipped policy, or the path of a policy file.
        grading: Whether a call to the grader asks about all propositions or about one.
        max_usd: The cost limit in US dollars; None means no limit.
        given: The file whose lines are graded or judged; None if the texts come from elsewhere.

    Raises:
        ConfigError: the model cannot have the role, or cannot grade with this value of `grading`.
    """
    if not serves(spec, role):
        raise ConfigError(f"--model '{spec.name}' is {spec.model}, whose rules are for another role than {role}")
    from demur.rewards.graders import check_grading  # imports DSPy

    check_grading(spec, grading)
    config = read_round_config(find_round_config(RULES))
    named = str(Path(policy).resolve()) if policy is not None and Path(policy).suffix else policy
    fit = {"policies": () if named is None else (named,), "grading": grading, "safety_prompts": None}
    seed = int(digest_of("seed", round_id)[:15], 16)
    update = {
        "name": round_id,
        "round_id": round_id,
        "seed": seed,
        "models": (spec,),
        "fit": config.fit.model_copy(update=fit),
        "gates": config.gates.model_copy(update=NOTHING_STOPS),
        "budget": config.budget.model_copy(update={"max_usd": max_usd}),
        "judge_codes": True,  # people's labels are compared with the judge, not with the response's own code
    }
    roles = {"judges": (spec.name,)} if role == "judge" else {role: spec.name}
    path = Path(round_id if given is None else given.name)
    return RoundContext(
        home, without_generation(config, path, roles, update), Path.cwd(), round_id, seed, file_given=given
    )


def check_asking(context: RoundContext) -> None:
    """Check that a round without generation can start, and create the loader's database file if it is missing.

    The checks are about the home, the keys, the prices and the stored state.

    Raises:
        ConfigError: a check fails, or the cost limit is no amount of money.
    """
    if (cap := context.config.budget.max_usd) is not None:
        check_usd(cap)
    check_places(context.home)
    check_models(context)
    shared_state(context.home).check_answers()
    make_loader(context)


def asking_row(context: RoundContext, kind: str) -> RoundRow:
    """Return the row of the table `rounds` for a round without generation.

    `kind` is the value that the view `round_origins` shows as the kind of the round, such as `file`.
    """
    config = context.config
    recorded = config.recorded()
    kept: dict[str, Any] = {name: recorded[name] for name in ("name", "models", "budget", "gates", "fit")}
    given = context.file_given
    taken = {} if given is None else {"takes": {"file": given.name, "sha256": given.sha256}}
    judges = config.roles.judges
    return RoundRow(
        round_id=context.round_id,
        name=config.name,
        seed=context.seed,
        layout=Layout.SINGLE.value,
        bases_wanted=0,
        judges=judges,
        config={**kept, "grader": config.roles.grader, "asked_for": kind, **taken},
        config_digest=config.digest,
        started_by=started_by(),
    )
