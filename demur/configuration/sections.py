"""The parts of a round's configuration other than `corpus` and the models."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from demur.errors import ConfigError
from demur.levers.explain import FieldFault
from demur.levers.lever_models import Strict
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.options import Grading

# The parts `fit` and `compiled` of a round's configuration: settings of reward fits, and compiled programs.


ITEM_POLICY: Final = "selective_refusal"
"""The policy with the round's items as prompts; other policies have their own prompts."""

CHOOSE: Final = "choose"
"""The value of `l2` for a penalty chosen by cross-validation."""


class FitConfig(Strict):
    """Settings of the fit of reward weights."""

    policies: tuple[str, ...] = Field(
        default=(), description="policies of rewards, by name or file; empty: no comparisons and no rewards"
    )
    safety_prompts: Path | None = Field(
        default=None, description="file of prompts of all policies that `prompts` does not name"
    )
    prompts: dict[str, Path] = Field(
        default_factory=dict, description="files of prompts, by policy as in `policies`; default: safety_prompts"
    )
    items_for_comparisons: int = Field(
        default=36, ge=2, description="number of items for which comparisons are written"
    )
    margin: float = Field(default=1.0, gt=0, description="smallest difference of two compared rewards without a loss")
    l2: Annotated[float, Field(gt=0)] | Literal["choose"] = Field(
        default=0.01, description="penalty; choose: the best of a grid, by cross-validation over fitted prompts"
    )
    signs: bool = Field(
        default=True, description="whether weights of faults may not be positive, nor required or desired ones negative"
    )
    graded_responses: float = Field(
        default=1.0, ge=0, le=1, description="share of responses that are graded for rewards; 0: none"
    )
    base_rewards: Path | None = Field(
        default=None, description="file of base rewards of completions and responses, to which rewards are added"
    )
    held_out: float = Field(default=0.3, gt=0, lt=1, description="share of prompts that are not fitted")
    bootstrap: int = Field(default=200, ge=0, le=10_000, description="refits for the intervals of the weights")
    grading: Grading = Field(
        default=Grading.PROPOSITIONS,
        description="one call for all propositions, or one_by_one: a yes or no for each, by log-probabilities",
    )

    @model_validator(mode="after")
    def _prompts_for_policies(self) -> Self:
        others = [name for name in self.policies if name != ITEM_POLICY]
        if strangers := [name for name in self.prompts if name not in others]:
            raise ValueError(
                f"prompts are given for {', '.join(strangers)}; policies that need prompts: "
                f"{', '.join(others) or 'none'}. Use the names in policies ('{ITEM_POLICY}' takes the round's items)"
            )
        if without := [name for name in others if self.prompts_of(name) is None]:
            raise ValueError(
                f"{', '.join(without)} need prompts: name a JSONL file in safety_prompts, or one for each policy in "
                "prompts"
            )
        return self

    def prompts_of(self, named: str) -> Path | None:
        """Return the file with the prompts of the policy `named`; None if the policy has no such file."""
        return self.prompts.get(named, self.safety_prompts)

    def files_by_name(self) -> dict[str, object]:
        """Return those fields that name files, with file names without folders."""
        return {
            "policies": [Path(name).name for name in self.policies],
            "safety_prompts": None if self.safety_prompts is None else self.safety_prompts.name,
            "prompts": {Path(name).name: path.name for name, path in self.prompts.items()},
            "base_rewards": None if self.base_rewards is None else self.base_rewards.name,
        }


class CompiledPrograms(Strict):
    """Files of compiled programs, used in place of demur's own programs."""

    grader: Path | None = None
    verifier: Path | None = None

    def files_by_name(self) -> dict[str, str | None]:
        """Return the fields as file names without folders."""
        named = {"grader": self.grader, "verifier": self.verifier}
        return {name: None if path is None else path.name for name, path in named.items()}


# The part `asking` of a round's configuration: questions from documents.


PASSAGES_FOR_A_BASE: Final = 5
"""The default of `passages`, for each base instance."""


class Asking(Strict):
    """Settings for the questions that the asker writes about passages."""

    questions: int = Field(default=2, ge=1, le=5, description="most questions about a passage")
    passages: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="passages to ask about, all at once; null: as many as `bases` needs, in waves",
    )
    pairs: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of passages that are asked about in pairs, by questions that need both",
    )
    like: Path | None = Field(
        default=None,
        description="questions of people, a question a line or JSONL, in whose manner the asker asks",
        exclude_if=lambda path: path is None,
    )
    check: Literal["people"] | None = Field(
        default=None,
        description="people: base instances are drawn only from questions that people read and kept; null: from all "
        "accepted questions",
        exclude_if=lambda by_whom: by_whom is None,
    )
    repairs: int = Field(
        default=1, ge=0, le=3, description="how often the asker corrects questions that fail a code check"
    )

    def most_passages(self, bases: int) -> int:
        """Return the largest number of passages that the asker gets for a round of `bases` base instances."""
        return self.passages or PASSAGES_FOR_A_BASE * bases


# The part `engine` of a round's configuration: threads of one process, or a cluster.


class EngineKind(StrEnum):
    """Kinds of engines: threads of one process, or a Dask or Ray cluster."""

    THREADS = "threads"
    DASK = "dask"
    RAY = "ray"


class EngineChoice(Strict):
    """The engine of a round's shards.

    If the address of a cluster is None, a cluster is started on this machine, and stopped when the round ends.
    """

    kind: EngineKind = EngineKind.THREADS
    address: str | None = Field(default=None, description="address of a running cluster's scheduler", min_length=1)

    @classmethod
    def from_text(cls, text: str, place: str) -> Self:
        """Return the engine in a text such as `dask` or `dask:tcp://scheduler:8786`; `place` names the text in errors.

        Raises:
            ConfigError: the text names no engine.
        """
        kind, _, address = text.partition(":")
        if kind not in set(EngineKind) or (address and kind == EngineKind.THREADS):
            raise ConfigError(
                f"{place} '{text}' is not one of threads, dask, dask:ADDRESS, ray, ray:ADDRESS, such as "
                "dask:tcp://scheduler:8786"
            )
        return cls(kind=EngineKind(kind), address=address or None)


# The part `gates` of a round's configuration: bounds that stop a round, give warnings, or qualify a release.


class AuditBounds(Strict):
    """Bounds of the human audit of a round's items.

    A round that is below `min_pass` or `min_kappa` cannot be released.
    """

    min_pass: float = Field(ge=0, le=1, description="lowest share of items read that pass all five criteria")
    readers: int = Field(
        ge=1, le=100, description="fewest people who have read items; with fewer, a release is unaudited"
    )
    min_kappa: float | None = Field(
        default=None, ge=-1, le=1, description="lowest Cohen's kappa of two readers, over whole items"
    )


class JudgeBounds(Strict):
    """Bounds of the agreement between judges and people. A release that meets these bounds is called calibrated."""

    min_kappa: float = Field(ge=-1, le=1, description="lowest Cohen's kappa of a judge and people, in every aspect")
    responses: int = Field(default=1, ge=1, description="fewest responses with labels by people, in every aspect")


class Gates(Strict):
    """Bounds of gates.

    Too many failed or unreadable units stop a round. Other unmet bounds give a warning; they stop a round if
    `stop_on_sample` is True.
    """

    failure_rate: float = Field(default=0.02, ge=0, le=1, description="highest share of failed units of a stage")
    acceptance: float = Field(
        default=0.3, ge=0, le=1, description="lowest share of candidates that the verifiers accept"
    )
    coverage: float = Field(default=0.5, ge=0, le=1, description="lowest share of a stratum's quota that is filled")
    balance: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="lowest share of one generator in a release's items, times the number of generators",
    )
    screening: float = Field(default=0.2, ge=0, le=1, description="lowest share of base instances that screeners solve")
    invalid: float = Field(default=0.1, ge=0, le=1, description="highest share of INVALID responses")
    near_copies: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="highest share of perturbed items whose planted text has a near copy in the round",
    )
    last_sentence: float = Field(
        default=0.25,
        ge=0,
        le=1,
        description="highest share of perturbed items with changed passages whose change is their last sentence",
    )
    asked: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="lowest share of passages with an accepted question, among those asked about",
    )
    unreadable: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="highest share of a stage's units with unreadable replies; a stage sure to exceed it stops early",
    )
    audit: AuditBounds | None = Field(default=None, description="bounds of the human audit of items")
    judge: JudgeBounds | None = Field(default=None, description="bounds of the agreement between judges and people")
    stop_on_sample: bool = False


# The part `generation` of a round's configuration: the perturbations to generate, and their generators.


def _is_none(value: object) -> bool:
    return value is None


class KnownBases(Strict):
    """Settings for the draw of base instances whose answers models know without passages."""

    probe: tuple[str, ...] = Field(
        min_length=1, description="models that are asked questions without passages, and are never scored"
    )
    min_share: float = Field(gt=0, le=1, description="lowest share of base instances whose answers all probes know")
    asked: int = Field(
        ge=1, le=1_000_000, description="questions to each probe, from the start of the draw, divided among domains"
    )

    @field_validator("probe")
    @classmethod
    def _names_once(cls, probe: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(probe)) != len(probe):
            raise ValueError("names a model twice. Name each model once")
        return probe


class Generation(Strict):
    """The perturbations to generate from each base instance."""

    lever_choice: Literal["assigned", "generator", "recorded"] = Field(
        default="generator",
        description="whose choice levers are: the round's in turn, the generator's, the recording's",
    )
    levers: Literal["all", "telling"] = Field(
        default="all",
        description="telling: only levers whose texts blind readers found hard to see through, at least two a stratum",
        exclude_if=lambda levers: levers == "all",
    )
    replicates: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="perturbations by each generator of each base instance in a stratum; 1 without candidates_per_cell",
    )
    candidates_per_cell: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="in place of replicates: perturbations of each base instance in a stratum, by generators in turn",
        exclude_if=_is_none,
    )
    repairs: int = Field(
        default=1, ge=0, le=3, description="how often a generator corrects a perturbation that fails a code check"
    )
    repair_verdicts: bool = Field(
        default=False, description="whether a generator also corrects perturbations that verifiers reject"
    )
    classes: tuple[LeverClass, ...] = tuple(LeverClass)
    intensities: tuple[Intensity, ...] = tuple(Intensity)
    known: KnownBases | None = Field(
        default=None, description="base instances whose answers models know without passages", exclude_if=_is_none
    )

    @model_validator(mode="before")
    @classmethod
    def _replicates_unless_candidates(cls, given: object) -> object:
        """Set `replicates` to 1 if no number of perturbations is given."""
        if isinstance(given, dict) and not given.keys() & {"replicates", "candidates_per_cell"}:
            return {**given, "replicates": 1}
        return given

    @model_validator(mode="after")
    def _one_number_of_candidates(self) -> Self:
        if (self.replicates is None) == (self.candidates_per_cell is None):
            raise ValueError("give exactly one of replicates and candidates_per_cell, such as replicates: 1")
        return self

    def tries(self, generators: int) -> int:
        """Return how many perturbations of one base instance in one stratum each generator makes at most.

        `generators` is the number of generators.
        """
        if self.candidates_per_cell is None:
            assert self.replicates is not None
            return self.replicates
        return -(-self.candidates_per_cell // generators)

    def turns(self, generators: Sequence[str], draw: int) -> tuple[tuple[int, str], ...]:
        """Return (number of the try from 0, generator) for each perturbation of a base instance in a stratum.

        With `candidates_per_cell`, generators take turns. `draw` is the position of the base instance in the draw,
        which decides the first generator.
        """
        first = 0 if self.candidates_per_cell is None else draw % len(generators)
        order = (*generators[first:], *generators[:first])
        turns = tuple(product(range(self.tries(len(generators))), order))
        return turns[: self.candidates_per_cell]


# The part `sample` of an evaluation's configuration: the part of a release's items that models are asked.


class Sample(Strict):
    """A number of items, or of source questions with all their items."""

    items: int | None = Field(default=None, ge=1, description="number of items, controls included")
    bases: int | None = Field(default=None, ge=1, description="number of source questions, each with all its items")
    seed: int | None = Field(default=None, ge=0, description="seed of the draw; default: the seed of the release")

    @model_validator(mode="after")
    def _one_number(self) -> Self:
        if (self.items is None) == (self.bases is None):
            raise ValueError("give exactly one of items and bases, such as items: 200")
        return self


# The part `verification` of a round's configuration: the rule by which verdicts accept candidates.


class ConsensusRule(StrEnum):
    """How many of the counting verifiers must pass a candidate."""

    UNANIMOUS = "unanimous"
    K_OF_N = "k_of_n"


class Verification(Strict):
    """The rule by which verdicts accept a candidate.

    If `short_circuit` is True, verifiers are asked one after the other, until the candidate cannot be accepted any
    more.
    """

    consensus: ConsensusRule = ConsensusRule.UNANIMOUS
    k: int | None = Field(default=None, ge=1, description="for k_of_n: number of verifiers that must pass a candidate")
    exclude_self: bool = Field(
        default=False, description="whether a generator's verdicts on its own candidates do not count"
    )
    short_circuit: bool = Field(
        default=False, description="whether verifiers are asked in turn, until a candidate cannot be accepted"
    )
    read_keys: bool = Field(
        default=False,
        description="whether verifiers also say, without knowing the key, what respondents' instructions demand of "
        "each candidate that they pass",
        exclude_if=lambda read: not read,
    )

    @model_validator(mode="after")
    def _k_where_needed(self) -> Self:
        if (self.consensus is ConsensusRule.K_OF_N) != (self.k is not None):
            raise ValueError("k must be given with k_of_n, and only with k_of_n")
        return self

    def counting(self, generator: str, verifiers: Sequence[str]) -> tuple[str, ...]:
        """Return the counting verifiers for candidates of a generator."""
        return tuple(name for name in verifiers if not (self.exclude_self and name == generator))

    def failures_allowed(self, counting: int) -> int:
        """Return how many failing verdicts an accepted candidate may have among `counting` counting verdicts."""
        return counting - self.k if self.k is not None else 0

    def problem(self, generators: Sequence[str], verifiers: Sequence[str]) -> FieldFault | None:
        """Return why the candidates of some generator can never be accepted; None if there is no such generator."""
        for generator in generators:
            counting = self.counting(generator, verifiers)
            if not counting:
                return FieldFault(
                    ("verification", "exclude_self"),
                    f"leaves no verifier for candidates of {generator}: name another verifier in roles.verifiers",
                )
            if self.k is not None and self.k > len(counting):
                return FieldFault(
                    ("verification", "k"),
                    f"{self.k} is more than the {len(counting)} verifiers whose verdicts count for {generator} "
                    f"({', '.join(counting)}): give 1 to {len(counting)}",
                )
        return None
