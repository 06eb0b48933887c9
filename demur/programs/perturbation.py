"""Programs for perturbations: generator, verifier, key reader."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import dspy

from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import ENGLISH, STRATA, Code, Target
from demur.programs.call_scope import last_call_id, note_unreadable
from demur.programs.errors import ReplyError
from demur.programs.language_variants import in_language
from demur.programs.model import Model, SingleCall
from demur.programs.options import Prompts
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.other_languages import language_input
from demur.programs.signatures.perturbation import (
    CHECKS,
    FailedAttempt,
    GeneratePerturbation,
    LeverOption,
    RepairPerturbation,
    ShownPassage,
    VerifyPerturbation,
    checks_that_apply,
)
from demur.programs.signatures.response import ReadKey, numbered, signature_of
from demur.programs.signatures.taxonomy_text import StratumBrief, stratum_brief

# The generator: pulls one lever on a base instance.


class Generator(SingleCall):
    """Asks for one perturbation."""

    def __init__(self) -> None:
        super().__init__("perturb", GeneratePerturbation)


class Repairer(SingleCall):
    """Asks for the correction of a failed perturbation."""

    def __init__(self) -> None:
        super().__init__("repair", RepairPerturbation)


@dataclass(frozen=True, slots=True)
class Generated:
    """A generator's reply: a perturbation, or None and the reason for declining."""

    perturbation: Perturbation | None
    declined: str | None
    reasoning: str
    answer_constraint: str


def generating(base: BaseInstance, brief: StratumBrief, levers: Sequence[Lever]) -> dict[str, Any]:
    """Return the input fields of `GeneratePerturbation`."""
    return {
        **brief.prompt(base.layout, *(lever.target for lever in levers)),
        "levers": tuple(LeverOption.of(lever, base.layout) for lever in levers),
        "question": base.question,
        "answers": base.answers,
        "passages": base.passages,
        **language_input(base.language),
    }


def generator_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for each stratum."""
    for lever_class, intensity in STRATA:
        if levers := sample.catalogue.stratum(lever_class, intensity):
            brief = stratum_brief(lever_class, intensity)
            yield GeneratePerturbation, generating(sample.base, brief, levers[: sample.offered_at_once])


async def generate(
    program: Generator | Repairer,
    model: Model,
    base: BaseInstance,
    brief: StratumBrief,
    levers: Sequence[Lever],
    earlier: FailedAttempt | None = None,
) -> Generated:
    """Return a model's perturbation of a base instance with one of the offered levers.

    If `program` is a `Repairer`, it corrects the failed attempt `earlier`.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    known = {} if earlier is None else {"earlier": earlier}
    reply = await model.run(in_language(program, base.language), **generating(base, brief, levers), **known)
    declined = (reply.declined or "").strip() or None
    if declined is None and not (reply.lever or "").strip():
        declined = "no lever was named, and no reason given"
    made = None
    if declined is None:
        made = Perturbation(question=reply.perturbed_question, changed=reply.changed_passages, lever=reply.lever)
    return Generated(made, declined, reply.reasoning, reply.answer_constraint_met)


# The verifier: checks whether a perturbation meets the requirements of its stratum and lever.


ATTEMPTS: Final = 3
"""An unreadable verdict is requested again at most twice; the first readable one counts."""


def verifying(base: BaseInstance, perturbation: Perturbation, brief: StratumBrief, lever: Lever) -> dict[str, Any]:
    """Return the input fields of `VerifyPerturbation`."""
    target = lever.target
    if target is Target.QUERY_OR_CONTEXT:
        target = Target.QUERY if perturbation.passages(base) == base.passages else Target.CONTEXT
    old = {passage.index: passage.text for passage in base.passages}
    return {
        **brief.prompt(base.layout, target),
        "lever": lever.name,
        "target": lever.target,
        "lever_instruction": lever.instruction,
        "original_question": base.question,
        "answers": base.answers,
        "perturbed_question": perturbation.question,
        "passages": tuple(
            ShownPassage(
                index=passage.index,
                relevant=passage.relevant,
                text=passage.text,
                before=None if passage.text == old[passage.index] else old[passage.index],
            )
            for passage in perturbation.passages(base)
        ),
        **language_input(base.language),
    }


def verifier_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for each stratum. The perturbation uses the first lever of the stratum."""
    first = sample.base.passages[0]
    for lever_class, intensity in STRATA:
        for lever in sample.catalogue.stratum(lever_class, intensity)[:1]:
            longer = ChangedPassage(index=first.index, text=f"{first.text} x")
            changed = () if lever.target is Target.QUERY else (longer,)
            made = Perturbation(question=sample.base.question, changed=changed, lever=lever.name)
            yield VerifyPerturbation, verifying(sample.base, made, stratum_brief(lever_class, intensity), lever)


class Verifier(SingleCall):
    """Asks for one verdict."""

    def __init__(self) -> None:
        super().__init__("verify", VerifyPerturbation)


class VerdictOutcome(StrEnum):
    """Outcomes of a verdict. Only PASS accepts the perturbation."""

    PASS = "pass"
    FAIL = "fail"
    INCONSISTENT = "inconsistent"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one request for a verdict.

    If the reply could not be read, `reply` is None and `checks` is empty. A check that does not apply is None. If a
    check applies and the model replied null, the check is false.
    """

    attempt: int
    outcome: VerdictOutcome
    reply: dspy.Prediction | None
    checks: Mapping[str, bool | None]
    issues: tuple[str, ...]
    call_id: str | None


async def verify(
    program: dspy.Module,
    model: Model,
    base: BaseInstance,
    perturbation: Perturbation,
    brief: StratumBrief,
    lever: Lever,
) -> tuple[Verdict, ...]:
    """Return the results of all requests for a verdict. The last result decides.

    Raises:
        LaneError: no reply came.
    """
    attempts: list[Verdict] = []
    asked = verifying(base, perturbation, brief, lever)
    deciding = checks_that_apply(brief.intensity, strategy=asked["strategy"] is not None)
    while len(attempts) < ATTEMPTS:
        number = len(attempts) + 1
        try:
            reply = await model.run(in_language(program, base.language), **asked)
        except ReplyError as exc:
            attempts.append(Verdict(number, VerdictOutcome.MISSING, None, {}, (exc.problem,), last_call_id()))
            continue
        checks = {check: getattr(reply, check) is True if check in deciding else None for check in CHECKS}
        attempts.append(Verdict(number, outcome_of(reply.overall, checks), reply, checks, reply.issues, last_call_id()))
        break
    else:
        note_unreadable(", ".join(attempts[-1].issues))
    return tuple(attempts)


def outcome_of(overall: str, checks: Mapping[str, bool | None]) -> VerdictOutcome:
    """Return PASS or FAIL if the overall result agrees with the checks that apply, else INCONSISTENT."""
    all_true = False not in checks.values()
    if (overall == "PASS") != all_true:
        return VerdictOutcome.INCONSISTENT
    return VerdictOutcome.PASS if all_true else VerdictOutcome.FAIL


# The key reader: says what the instructions of respondents demand of an instance, without knowing the key.


class KeyReader(SingleCall):
    """Asks what the instructions of respondents demand. `prompts` is the set of prompts that respondents get."""

    def __init__(self, prompts: Prompts = Prompts.PUBLISHED) -> None:
        super().__init__("read_key", ReadKey)
        self._prompts = prompts

    def respondent_instructions(self, passages: Sequence[Passage]) -> str:
        """Return the instructions that respondents get for these passages."""
        return str(signature_of(self._prompts, several=len(passages) > 1, surely=False).instructions)


@dataclass(frozen=True, slots=True)
class KeyReading:
    """What instructions demand of an instance, and the other replies that could be defended by their words."""

    demanded: Code
    also_defensible: tuple[Code, ...]


async def read_key(
    program: KeyReader, model: Model, question: str, passages: Sequence[Passage], language: str = ENGLISH
) -> KeyReading | None:
    """Return a model's reading of an instance, or None if its reply cannot be read or a recording has none.

    Raises:
        LaneError: no reply came.
    """
    asked = {
        "respondent_instructions": program.respondent_instructions(passages),
        "question": question,
        "passages": numbered(p.text for p in passages),
    }
    reply = await model.run_if_readable(in_language(program, language), **asked, **language_input(language))
    if reply is None:
        return None
    others = (code for code in reply.also_defensible if code is not reply.demanded)
    return KeyReading(reply.demanded, tuple(dict.fromkeys(others)))


def key_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    passages = sample.base.passages
    instructions = KeyReader().respondent_instructions(passages)
    yield (
        ReadKey,
        {
            "respondent_instructions": instructions,
            "question": sample.base.question,
            "passages": numbered(p.text for p in passages),
        },
    )
