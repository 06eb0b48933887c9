"""Judged cases to compile on: completions of a gold file for the grader, audited items for the verifier."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from demur.compiling.search import Parts
from demur.engine.instances import base_of, passages_of, stratum_of
from demur.errors import FlowError
from demur.flows.stages.grade.stage import questions_of
from demur.levers.catalogue import Catalogue
from demur.levers.errors import LeverError
from demur.levers.instances import ChangedPassage, Perturbation
from demur.levers.policies import load_policy
from demur.programs.compiled.kinds import JudgedCase, ProgramKind
from demur.programs.signatures.grading import Grade
from demur.programs.signatures.propositions import codes_of
from demur.programs.signatures.strata import stratum_brief
from demur.programs.verifier import verifying
from demur.reports.audits.marks import read_audit_file
from demur.rewards.gold import read_gold
from demur.scoring.errors import ScoringError
from demur.scoring.ranking import split_prompts
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.records import records
from demur.warehouse.release import sha256

SHARES = (0.4, 0.25, 0.35)
"""Of the groups: to learn from, to choose by, to be held out."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one file, and its checksum."""

    kind: ProgramKind
    sha256: str
    cases: tuple[JudgedCase, ...]


def grader_cases(path: Path, policy_name: str) -> Cases:
    """Return the completions of a gold file, each with the features of its behaviour.

    Raises:
        FlowError: the file cannot be used; lines are named, texts are not.
    """
    policy = load_policy(policy_name)
    gold = read_gold(path, policy)
    cases = []
    for row in gold.rows:
        questions = tuple(questions_of(policy, row.behaviour))
        truths = {question.name: row.truth[question.name] for question in questions}
        inputs = {
            "policy": policy.name,
            "refusal_codes": codes_of(policy),
            "propositions": questions,
            "prompt": row.prompt,
            "grounding": None,
            "completion": row.completion,
        }
        grades = tuple(Grade(proposition=name, probability=float(holds)) for name, holds in truths.items())
        cases.append(JudgedCase(row.prompt_id, inputs, truths, {"grades": grades}))
    return Cases(ProgramKind.GRADER, gold.sha256, tuple(cases))


def verifier_cases(path: Path, home: Home, catalogue: Catalogue) -> Cases:
    """Return the items that a reader marked, each with the marks that were made; the round is read from the warehouse.

    Raises:
        FlowError: the file cannot be used, an item is none of its round, or its lever is none of the catalogue.
    """
    marked = read_audit_file(path)
    with reading(home) as con:
        items = {str(row["item_id"]): row for row in records(con, "compile_items", [marked.round])}
    cases = []
    for number, mark in enumerate(marked.items):
        truths = {criterion.value: holds for criterion, holds in mark.criteria.items() if holds is not None}
        if not truths:
            continue
        item = items.get(mark.item_id)
        if item is None:
            raise FlowError(
                f"{path}: items[{number}].item_id '{mark.item_id}' is no perturbed item of round '{marked.round}'. Set "
                "DEMUR_HOME to the home that holds the round"
            )
        try:
            lever = catalogue.lever(str(item["lever_id"]))
        except LeverError as exc:
            raise FlowError(f"{path}: items[{number}]: {exc}. Name the round's configuration with --config") from exc
        base = base_of(item)
        after = passages_of(item["perturbed_passages"])
        changed = tuple(ChangedPassage(index=p.index, text=p.text) for p in after)
        perturbation = Perturbation(question=item["perturbed_question"], changed=changed, lever=lever.name)
        inputs = verifying(base, perturbation, stratum_brief(*stratum_of(item)), lever)
        cases.append(JudgedCase(str(item["base_id"]), inputs, truths))
    if not cases:
        raise FlowError(f"{path}: no criterion of any item is marked. Mark items, and download the file again")
    return Cases(ProgramKind.VERIFIER, sha256(path), tuple(cases))


def divided(cases: Sequence[JudgedCase], most: int, seed: int) -> Parts:
    """Return at most about `most` cases, divided by group; whole groups are taken, in an order drawn by `seed`.

    Raises:
        FlowError: there are fewer than three groups.
    """
    by_group: dict[str, list[JudgedCase]] = defaultdict(list)
    for case in cases:
        by_group[case.group].append(case)
    names = sorted(by_group)
    chosen: list[list[JudgedCase]] = []
    for at in np.random.default_rng(seed).permutation(len(names)):
        if len(chosen) >= len(SHARES) and sum(map(len, chosen)) + len(by_group[names[at]]) > most:
            break
        chosen.append(by_group[names[at]])
    try:
        part = split_prompts(len(chosen), SHARES, seed)
    except ScoringError as exc:
        raise FlowError(
            f"{len(cases)} judged cases of {len(chosen)} prompts or base instances cannot be divided into training, "
            "validation and held-out ones. Judge more"
        ) from exc
    parts = [
        [case for group, at in zip(chosen, part, strict=True) if at == number for case in group] for number in range(3)
    ]
    return Parts(*parts)
