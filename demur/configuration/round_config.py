"""A round's configuration: all settings that decide its results, validated before the round starts.

A name, a corpus, models with their parameters and roles, and the size of a round have no default.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo, field_validator, model_validator

from demur.configuration.corpus_section import Corpus, CorpusChoice, DocumentsChoice, Fresh
from demur.configuration.models import ROLES, Roles, asked_alike, probe_problem, role_problems
from demur.configuration.sections import (
    Asking,
    CompiledPrograms,
    EngineChoice,
    FitConfig,
    Gates,
    Generation,
    Sample,
    Verification,
)
from demur.corpora.corpus_rows import AnswersBy
from demur.lanes.registry import lanes_with
from demur.lanes.spec import ModelName, ModelSpec
from demur.levers.explain import FieldFault
from demur.levers.lever_models import Strict
from demur.levers.vocabulary import Origin
from demur.programs.options import Grading, PassageMode, Prompts


def _checked_metric(name: str) -> str:
    from demur.scoring.metrics import checked_metric  # imports pandas and scipy, and few rounds name a metric

    return checked_metric(name)


class Budget(Strict):
    """Hard caps on spending in US dollars, for the whole round and for single stages.

    Caps do not change results. After a change of caps, a round goes on with the answers that it has already paid for.
    """

    max_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    stages: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(default_factory=dict)

    @field_validator("stages")
    @classmethod
    def _stages_that_ask(cls, stages: dict[str, float], info: ValidationInfo) -> dict[str, float]:
        """Refuse stages that ask no models, if the validation context lists the stages that ask models."""
        if stages and info.context is not None:
            paid: tuple[str, ...] = info.context["paid_stages"]()
            if unknown := [stage for stage in stages if stage not in paid]:
                raise ValueError(f"{', '.join(unknown)} is not one of the stages that ask models: {', '.join(paid)}")
        return stages

    @property
    def caps(self) -> bool:
        """True if any cap is set."""
        return self.max_usd is not None or bool(self.stages)


NAME_LENGTH: Final = 64
NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""The pattern of names of round configurations, and thus of releases."""
PathSegment = Annotated[str, StringConstraints(pattern=NAME)]
RoundId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(-\{started\})?$")]
FRESH = "{started}"
"""A placeholder in `round_id` for the UTC time of the start; each start then makes a new round."""


class Reuse(StrEnum):
    """Whether a round may use base instances of earlier rounds: never, after some rounds, or always."""

    NEVER = "never"
    AFTER_N_ROUNDS = "after_n_rounds"
    ALLOW = "allow"


class BaseReuse(Strict):
    """The rule by which a round may use base instances of earlier rounds."""

    policy: Reuse = Reuse.NEVER
    rounds: int | None = Field(
        default=None, ge=1, description="for after_n_rounds: rounds until a base instance may be used again"
    )

    @model_validator(mode="after")
    def _rounds_where_needed(self) -> Self:
        if (self.policy is Reuse.AFTER_N_ROUNDS) != (self.rounds is not None):
            raise ValueError("rounds must be given with after_n_rounds, and only with after_n_rounds")
        return self


class CatalogueChoice(Strict):
    """The offered levers: demur's, the user's, or both."""

    ours: bool = True
    paths: tuple[Path, ...] = ()
    origins: tuple[Origin, ...] = Field(
        default=(), description="origins of the offered levers: paper (published), demur, user; empty: all"
    )


NON_RESULT_FIELDS: Final = (
    "budget",
    "gates",
    "engine",
    "shard_size",
    "batch_shard_size",
    "shards_at_once",
)
NON_RESULT_MODEL_FIELDS: Final = (
    "prices",
    "limits",
    "mode",
    "prompt_cache",
    "base_url",
    "region",
    "project",
    "api_key_env",
    "headers",
    "api_key_block",
)
"""Fields that decide no result. If only such fields have changed, an unfinished fresh round is continued."""


def _id_by_name(fields: dict[str, Any]) -> str:
    """Return the default of `round_id`, given the fields before it."""
    return f"{fields['name']}-{FRESH}" if fields["seed"] == "fresh" else str(fields["name"])


class RoundConfig(Strict):
    """The configuration of one round. Examples are the YAML files of deployments/rounds/."""

    name: PathSegment
    seed: int | Literal["fresh"] = 1
    round_id: RoundId = Field(
        default_factory=_id_by_name,
        description="default: the name, followed by -{started} if the seed is fresh",
    )
    corpus: Corpus
    bases: int = Field(ge=1, le=100_000)
    base_reuse: BaseReuse = BaseReuse()
    asking: Asking = Field(
        default=Asking(),
        exclude_if=lambda asking: asking == Asking(),
        description="questions from documents",
    )
    catalogue: CatalogueChoice = CatalogueChoice()
    models: Annotated[tuple[ModelSpec, ...], Field(min_length=1)]
    roles: Roles
    generation: Generation = Generation()
    verification: Verification = Verification()
    items_per_stratum: int = Field(ge=1)
    response_replicates: int = Field(default=1, ge=1, le=100)
    response_prompts: Annotated[tuple[Prompts, ...], Field(min_length=1)] = Field(
        default=(Prompts.PUBLISHED,),
        description="prompts of respondents: published, ours, or both; or plain, without codes",
    )
    respondent_prompts: dict[ModelName, Annotated[tuple[Prompts, ...], Field(min_length=1)]] = Field(
        default_factory=dict,
        exclude_if=lambda chosen: not chosen,
        description="for single respondents: those of response_prompts with which they are asked; default: all",
    )
    passages: PassageMode = Field(
        default=PassageMode.GIVEN,
        exclude_if=lambda mode: mode is PassageMode.GIVEN,
        description="source of passages: given with each question, or (in evaluations of systems) an index",
    )
    sample: Sample | None = Field(
        default=None,
        exclude_if=lambda sample: sample is None,
        description="in evaluations: the part of the release's items that is asked; default: all",
    )
    elicit_confidence: bool = Field(default=False, description="whether respondents say how sure they are")
    judge_replicates: int = Field(
        default=1, ge=1, le=20, description="judgements of each response by each judge; several show the judge's noise"
    )
    judge_codes: bool = Field(
        default=False,
        exclude_if=lambda asked: not asked,
        description="whether judges are also asked about responses that are exactly one refusal code",
    )
    metrics: tuple[Annotated[str, AfterValidator(_checked_metric)], ...] = Field(
        default=(), exclude_if=lambda chosen: not chosen, description="metrics of other packages, added to demur's"
    )
    score_replicates: int = Field(default=1000, ge=100, le=100_000, description="bootstrap replicates of every score")
    fit: FitConfig = FitConfig()
    compiled: CompiledPrograms = CompiledPrograms()
    gates: Gates = Gates()
    budget: Budget = Budget()
    shard_size: int = Field(default=400, ge=1, le=10_000)
    batch_shard_size: int = Field(
        default=5_000, ge=1, le=50_000, description="units of a shard if a model is asked in batches; all are in memory"
    )
    shards_at_once: int = Field(default=1, ge=1, le=64)
    engine: EngineChoice = Field(default=EngineChoice(), description="engine of the shards: threads or a cluster")

    @field_validator("models", mode="before")
    @classmethod
    def _fallbacks_are_models(cls, models: object) -> object:
        """Replace the name of each fallback by the spec of the named model."""
        if not isinstance(models, list | tuple) or not all(isinstance(model, dict) for model in models):
            return models
        by_name = {model["name"]: model for model in models if isinstance(model.get("name"), str)}
        resolved = []
        for number, model in enumerate(models):
            fallback = model.get("fallback")
            if isinstance(fallback, str):
                if fallback not in by_name or "fallback" in by_name[fallback]:
                    raise FieldFault(
                        ("models", number, "fallback"),
                        f"'{fallback}' is not one of the models that have no fallback themselves: "
                        + ", ".join(sorted(name for name, other in by_name.items() if "fallback" not in other)),
                    )
                model = {**model, "fallback": by_name[fallback]}
            resolved.append(model)
        return resolved

    @field_validator("models")
    @classmethod
    def _names_once(cls, models: tuple[ModelSpec, ...]) -> tuple[ModelSpec, ...]:
        names = [model.name for model in models]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"name {', '.join(twice)} is given to more than one model; give every model its own name")
        return models

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for problem in self._problems():
            raise problem
        return self

    def _problems(self) -> Iterator[FieldFault]:
        models = {model.name: model for model in self.models}
        yield from role_problems(self.roles, models)
        yield from self._problems_of_corpus()
        yield from self._problems_of_grading(models)
        if self.roles.rater is not None and self.fit.base_rewards is not None:
            yield FieldFault(
                ("fit", "base_rewards"),
                f"names {self.fit.base_rewards}, and roles.rater names '{self.roles.rater}'. Base rewards come "
                "either from a file or from a rater: remove one of the two",
            )
        if problem := self.verification.problem(self.roles.generators, self.roles.verifiers):
            yield problem
        known = self.generation.known
        asked = ("generation", "known", "probe")
        if known and (problem := probe_problem(asked, known.probe, "recall", models, self.roles.respondents)):
            yield problem
        yield from self._problems_of_asking(models)
        yield from self._problems_of_prompts(models)
        if self.fresh != self.round_id.endswith(FRESH):
            yield FieldFault(
                ("round_id",),
                f"'{self.round_id}' does not fit seed {self.seed}: a fresh round needs both seed: fresh and a round_id "
                "that ends in -{started}",
            )

    def _problems_of_grading(self, models: Mapping[str, ModelSpec]) -> Iterator[FieldFault]:
        for role, properties in ROLES.items():
            if properties.for_policies and self.fit.policies and role not in self.roles.named():
                yield FieldFault(("roles", role), "is needed with fit.policies. Name a model, or set fit.policies: []")
        if self.fit.grading is not Grading.ONE_BY_ONE or self.roles.grader is None:
            return
        grader = models[self.roles.grader]
        if not grader.lane.log_probabilities:
            others = " or ".join(lanes_with("log_probabilities"))
            yield FieldFault(
                ("fit", "grading"),
                f"one_by_one needs log-probabilities, but the provider {grader.provider} of roles.grader "
                f"'{grader.name}' gives none. Name a model of provider {others}, or set fit.grading: propositions",
            )
        if self.compiled.grader is not None:
            yield FieldFault(
                ("compiled", "grader"),
                "asks for all propositions at once, but fit.grading is one_by_one. Remove one of the two",
            )

    def _problems_of_asking(self, models: Mapping[str, ModelSpec]) -> Iterator[FieldFault]:
        asker, prover = self.roles.asker, self.roles.prover
        if self.documents is None:
            if asker is not None:
                yield FieldFault(
                    ("roles", "asker"),
                    "is only for documents, but corpus.path names a file of questions. Remove this role, or name "
                    "documents in corpus.documents",
                )
            if self.asking.check is not None:
                yield FieldFault(
                    ("asking", "check"),
                    "is only for questions about documents, but corpus.path names a file of questions. Remove this "
                    "setting",
                )
            return
        asked = self.documents.questions is not None
        for role, name, does in (
            (
                "asker",
                asker or asked,
                "the asker writes questions about the documents (corpus.questions can do without)",
            ),
            ("prover", prover, "the prover, another model than the asker, answers the questions from the passages"),
        ):
            if not name:
                yield FieldFault(("roles", role), f"is needed with corpus.documents: {does}. Name a language model")
        if asker is not None and prover is not None and asked_alike(models[asker], models[prover]):
            yield FieldFault(
                ("roles", "prover"),
                f"'{prover}' is the asker '{asker}' (the same model and parameters), so the model would check itself. "
                "Name another model",
            )
        if self.asking.pairs and not self.documents.neighbours:
            yield FieldFault(
                ("asking", "pairs"),
                f"{self.asking.pairs:g} makes base instances with two passages, but corpus.neighbours: 0 makes base "
                "instances with one; a round has one layout. Set neighbours to 1 or more, or pairs to 0",
            )

    def _problems_of_corpus(self) -> Iterator[FieldFault]:
        corpus = self.corpus
        if isinstance(corpus, DocumentsChoice):
            if corpus.at_least > self.bases:
                yield FieldFault(
                    ("corpus", "at_least"), f"{corpus.at_least} is more than bases ({self.bases}). Lower at_least"
                )
            if corpus.fresh is Fresh.SINCE_LAST_ROUND and self.base_reuse.policy is not Reuse.NEVER:
                yield FieldFault(
                    ("base_reuse", "policy"),
                    f"{self.base_reuse.policy} repeats questions, but corpus.fresh is since_last_round. Set policy: "
                    "never",
                )
            return
        if corpus.answers is AnswersBy.PROVED and not self.roles.screeners:
            yield FieldFault(
                ("corpus", "answers"),
                "is proved, but roles.screeners names no model that could prove answers. Name one, or set stated",
            )
        if corpus.domains and (total := sum(corpus.domains.values())) != self.bases:
            yield FieldFault(
                ("corpus", "domains"), f"add up to {total}, but bases is {self.bases}. Make the two numbers equal"
            )

    def _problems_of_prompts(self, models: Mapping[str, ModelSpec]) -> Iterator[FieldFault]:
        for name, chosen in self.respondent_prompts.items():
            own = ("respondent_prompts", name)
            if name not in self.roles.respondents or not models[name].lane.reads_prompts:
                asked = [one for one in self.roles.respondents if models[one].lane.reads_prompts]
                yield FieldFault(own, f"is no respondent that reads prompts. Name one of {', '.join(asked) or 'none'}")
            if others := [each for each in chosen if each not in self.response_prompts]:
                yield FieldFault(
                    own, f"has {', '.join(others)}, which response_prompts lacks ({', '.join(self.response_prompts)})"
                )
        place = ("response_prompts",)
        if self.is_plain and len(self.response_prompts) > 1:
            yield FieldFault(
                place, "has plain among others, but plain responses are judged with other prompts: use [plain] alone"
            )
        if self.is_plain and self.elicit_confidence:
            yield FieldFault(place, "is plain, and plain prompts cannot ask for confidence: remove elicit_confidence")
        systems = [name for name in self.roles.respondents if models[name].lane.system]
        if systems and not self.is_plain:
            yield FieldFault(place, f"must be [plain], since systems are told no refusal codes: {', '.join(systems)}")

    @property
    def documents(self) -> DocumentsChoice | None:
        """The round's documents; None if questions come from a file."""
        return self.corpus if isinstance(self.corpus, DocumentsChoice) else None

    @property
    def questions(self) -> CorpusChoice:
        """The round's file of questions."""
        assert isinstance(self.corpus, CorpusChoice)
        return self.corpus

    @property
    def has_index(self) -> bool:
        """True if systems search an index for passages, instead of getting passages with each question."""
        return self.passages is PassageMode.INDEX

    def prompts_of(self, respondent: str) -> tuple[Prompts, ...]:
        """Return the sets of prompts with which a respondent is asked."""
        return self.respondent_prompts.get(respondent, self.response_prompts)

    @property
    def is_plain(self) -> bool:
        """True if respondents are told no codes, and judges read plain words."""
        return Prompts.PLAIN in self.response_prompts

    @property
    def fresh(self) -> bool:
        """True if every start with this configuration makes a new round."""
        return self.seed == "fresh"

    def named(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the asked models by role; the probes have the key `recalls`.

        Without policies, roles that only policies need are left out.
        """
        known = self.generation.known
        named = self.roles.named()
        if not self.fit.policies:
            named = {role: names for role, names in named.items() if not ROLES[role.removesuffix("s")].for_policies}
        if known is not None:
            named["recalls"] = known.probe
        return named

    def model_spec(self, name: str) -> ModelSpec:
        """Return the spec of a named model."""
        return next(model for model in self.models if model.name == name)

    @property
    def digest(self) -> str:
        """Hash of those fields of the configuration that decide results."""
        of_models = {"__all__": set(NON_RESULT_MODEL_FIELDS)}
        read = self.model_dump(mode="json", exclude={**dict.fromkeys(NON_RESULT_FIELDS, True), "models": of_models})
        return hashlib.sha256(json.dumps(read, sort_keys=True).encode()).hexdigest()[:16]

    def recorded(self) -> dict[str, Any]:
        """Return the configuration for storage, with file names without folders."""
        recorded: dict[str, Any] = self.model_dump(mode="json")
        del recorded["engine"]  # addresses of somebody's machines
        recorded["corpus"]["path" if isinstance(self.corpus, CorpusChoice) else "documents"] = self.corpus.name
        for part, name in (("corpus", "questions"), ("asking", "like")):
            if recorded.get(part, {}).get(name):
                recorded[part][name] = Path(recorded[part][name]).name
        for model in recorded["models"]:
            model["file"] = Path(model["file"]).name if model["file"] else None
        recorded["catalogue"]["paths"] = [path.name for path in self.catalogue.paths]
        recorded["compiled"] = self.compiled.files_by_name()
        recorded["fit"] |= self.fit.files_by_name()
        return recorded


SHIPPED: Final = Path(__file__).parents[1] / "deployments" / "rounds"
"""The folder of demur's round configurations."""
RECORDINGS: Final = SHIPPED.parent / "recordings"
"""The folder of demur's recordings. Configurations name recordings without folder and suffix."""
CORPORA: Final = SHIPPED.parent / "corpora"
DOCUMENTS: Final = SHIPPED.parent / "documents"
"""The folders of demur's corpora, prompts and documents. Configurations name them without folder and suffix."""


def round_config_schema() -> dict[str, object]:
    """Return the JSON Schema of a round configuration."""
    schema: dict[str, object] = RoundConfig.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "demur round configuration"}
