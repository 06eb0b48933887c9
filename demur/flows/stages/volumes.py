"""What stages share: approximate numbers of units, the round's grader and verifier programs, rows of `checks`."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import product
from typing import Any

from demur.configuration.labels import labelled_respondents
from demur.configuration.sections import ITEM_POLICY
from demur.engine.context import RoundContext
from demur.engine.models import YieldRates
from demur.errors import ConfigError
from demur.flows.stages.questions.sources import own_questions
from demur.flows.stages.responses.release_items import asked_items
from demur.lanes.spec import ModelSpec
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.checks.changes import CheckResult
from demur.programs.compiled import Program, ProgramKind, load_compiled
from demur.programs.completions import grader_program
from demur.programs.errors import ProgramError
from demur.programs.perturbation import Verifier
from demur.rewards.prompts import own_prompts

# Approximate numbers of units in the stages of a round, for estimates of costs.
#
# The parameter `rates` has the yields of stages in earlier rounds.


def passages_asked(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of passages, or pairs of passages, about which the asker writes questions."""
    config = context.config
    if config.roles.asker is None:
        return 0
    most = config.asking.most_passages(config.bases)
    if config.asking.passages or not rates.asked:
        return most
    return min(most, config.bases / rates.solved / rates.asked)


def questions_proved(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of proofs: three for a question about a pair of passages, one for every other question.

    Questions of people are among them, as if a passage stated the answer of each.
    """
    asking = context.config.asking
    by_askers = passages_asked(context, rates) * asking.questions * (1 + 2 * asking.pairs)
    return by_askers + len(own_questions(context))


def questions_judged(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of proofs whose answer a judge compares with the accepted answers."""
    return questions_proved(context, rates) * rates.doubted


def perturbations(context: RoundContext) -> float:
    """Return the number of perturbations that each generator is asked for, without repairs."""
    config = context.config
    generators = context.config.roles.generators
    return config.bases * _strata(context) * len(config.generation.turns(generators, 0)) / len(generators)


def withheld(context: RoundContext) -> float:
    """Return the number of perturbations that withhold passages, if all levers of a stratum are equally frequent."""
    documents, generation = context.config.documents, context.config.generation
    if documents is not None and not documents.neighbours:
        return 0
    made = perturbations(context) * len(context.config.roles.generators) / _strata(context)
    strata = (context.catalogue.stratum(*one) for one in product(generation.classes, generation.intensities))
    return made * sum(sum(lever.withholds for lever in levers) / len(levers) for levers in strata if levers)


def candidates(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of perturbations that pass the code checks and are no duplicates."""
    names = context.config.roles.generators
    return perturbations(context) * sum(rates.candidates.get(name, 1.0) for name in names)


def repairs_of(context: RoundContext, spec: ModelSpec) -> int:
    """Return the largest number of repairs of one perturbation.

    It is 0 for a rules model, which would make the same perturbation again.
    """
    return 0 if spec.lane.by_rule else context.config.generation.repairs


def repaired(context: RoundContext, rates: YieldRates, spec: ModelSpec) -> float:
    """Return the number of repairs by a generator."""
    share = rates.repaired.get(spec.name, rates.repaired_at_most)
    return perturbations(context) * share * repairs_of(context, spec)


def verified(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of perturbations that verifiers get, including repairs of perturbations that they rejected."""
    generators = context.specs(context.config.roles.generators) if context.config.generation.repair_verdicts else ()
    return candidates(context, rates) + sum(repaired(context, rates, spec) for spec in generators)


def items(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of items of a round, controls included."""
    if context.release is not None and context.config.sample is not None:
        return len(asked_items(context))
    if context.release is not None:
        return context.release.items
    planted = min(context.config.items_per_stratum * _strata(context), accepted(context, rates))
    return planted + context.config.bases


def accepted(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of perturbations that the verifiers accept."""
    names = context.config.roles.generators
    shares = (rates.candidates.get(name, 1.0) * rates.accepted.get(name, 1.0) for name in names)
    return perturbations(context) * sum(shares)


def responses(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of responses of all respondents."""
    return items(context, rates) * context.config.response_replicates * len(labelled_respondents(context.config))


def completions(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of completions that the writer writes for all policies."""
    total = 0.0
    for policy in context.policies:
        if policy.name == ITEM_POLICY:
            most = max(sum(label.variants for label in behaviour.labels) for behaviour in policy.behaviours)
            total += most * min(context.config.fit.items_for_comparisons, items(context, rates))
        else:
            for prompt in own_prompts(context, policy):
                total += sum(label.variants for label in policy.behaviour(prompt.behaviour).labels)
    return total


def graded_texts(context: RoundContext, rates: YieldRates) -> float:
    """Return the number of graded completions and responses."""
    units = completions(context, rates)
    if ITEM_POLICY in context.config.fit.policies:
        units += responses(context, rates) * context.config.fit.graded_responses
    return units


def _strata(context: RoundContext) -> int:
    generation = context.config.generation
    return len(generation.classes) * len(generation.intensities)


# The grader program and the verifier program of a round: shipped, or compiled if the configuration names a file.


def round_grader(context: RoundContext) -> Program:
    """Return the round's grader program.

    Raises:
        ConfigError: the compiled program of the configuration cannot be used.
    """
    return _compiled(context, ProgramKind.GRADER) or grader_program(context.config.fit.grading)


def round_verifier(context: RoundContext) -> Program:
    """Return the round's verifier program.

    Raises:
        ConfigError: the compiled program of the configuration cannot be used.
    """
    return _compiled(context, ProgramKind.VERIFIER) or Verifier()


def check_compiled(context: RoundContext) -> None:
    """Check that every compiled program of the configuration can be used.

    Raises:
        ConfigError: a compiled program cannot be used.
    """
    for kind in ProgramKind:
        _compiled(context, kind)


def round_fingerprints(context: RoundContext) -> dict[str, str]:
    """Return the fingerprints of the round's verifier and grader, by role."""
    return {"verifier": fingerprint(round_verifier(context)), "grader": fingerprint(round_grader(context))}


def _compiled(context: RoundContext, kind: ProgramKind) -> Program | None:
    named = context.config.compiled.grader if kind is ProgramKind.GRADER else context.config.compiled.verifier
    if named is None:
        return None
    try:
        return load_compiled(context.file(named), kind)
    except ProgramError as exc:
        raise ConfigError(f"compiled.{kind}: {exc}") from exc


# Rows of the table `checks`.


def check_row(
    key: Mapping[str, object], perturbation_id: str, stratum: Mapping[str, Any], result: CheckResult
) -> dict[str, object]:
    """Return the row of one code check.

    Args:
        key: The columns round_id and unit_id.
        perturbation_id: The checked perturbation.
        stratum: A mapping with `class` and `intensity`.
        result: The result of the check.
    """
    return {
        **key,
        "perturbation_id": perturbation_id,
        "class": stratum["class"],
        "intensity": stratum["intensity"],
        "check_name": result.name.value,
        "outcome": result.outcome.value,
        "evidence": result.evidence,
        "spans": [asdict(span) for span in result.spans],
    }
