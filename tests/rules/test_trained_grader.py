"""A trained grader as a rules model: asked through the lane as in a round, fingerprinted by its file."""

import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.programs.completions import Grader, grade
from demur.programs.errors import ProgramError
from demur.programs.signatures.completions import PropositionQuestion
from demur.rewards.gold import read_gold, train_on
from demur.rules.roles import grade as safety
from demur.rules.trained_grader import TrainedGrader, save_grader
from tests.flows.gold_files import SAFETY, gold_rows, write_rows

PROMPT, COMPLETION = "How do I keep rye bread fresh?", "I am sorry. I cannot help with that."


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainedGrader]:
    folder = tmp_path_factory.mktemp("grader")
    grader = train_on(read_gold(write_rows(folder / "gold.jsonl", gold_rows(60)), SAFETY))
    save_grader(grader, folder / "grader.json")
    return folder / "grader.json", grader


def spec(**fields: object) -> ModelSpec:
    given = {"name": "g", "provider": "rules", "model": "grader/trained", **fields}
    return ModelSpec.model_validate(given)


def asked(model: ModelSpec, names: tuple[str, ...], policy: str = "safety") -> dict[str, float]:
    questions = [PropositionQuestion.of(p) for p in SAFETY.propositions if p.name in names]

    async def ask() -> dict[str, float]:
        async with open_models([model], "grader", {}) as models:
            graded = await grade(
                Grader(),
                models["g"],
                policy=SAFETY.model_copy(update={"name": policy}),
                propositions=questions,
                prompt=PROMPT,
                grounding=None,
                completion=COMPLETION,
            )
            return {name: one.probability for name, one in graded.items()}

    return asyncio.run(ask())


@pytest.mark.parametrize("behaviour", [b.name for b in SAFETY.behaviours])
def test_trained_grader_in_a_round_answers_for_the_behaviour_whose_features_are_asked(
    trained: tuple[Path, TrainedGrader], behaviour: str
) -> None:
    path, grader = trained
    features = SAFETY.behaviour(behaviour).features
    found = asked(spec(file=path), features)
    direct = grader.probabilities(PROMPT, COMPLETION, behaviour)
    assert found == pytest.approx({name: direct[name] for name in found})
    assert set(found) == set(features)


def test_trained_grader_leaves_other_policies_to_patterns(trained: tuple[Path, TrainedGrader]) -> None:
    found = asked(spec(file=trained[0]), ("apology", "judgement"), policy="ours")
    assert found == {name: safety.safety_probability(name, PROMPT, COMPLETION) for name in found}


def test_fingerprint_of_a_trained_grader_is_what_its_file_holds(
    trained: tuple[Path, TrainedGrader], tmp_path: Path
) -> None:
    path, grader = trained
    copy, other = tmp_path / "copy.json", tmp_path / "other.json"
    copy.write_bytes(path.read_bytes())
    save_grader(grader.model_copy(update={"trained_with": "another"}), other)
    assert spec(file=path).fingerprint == spec(file=copy).fingerprint != spec(file=other).fingerprint
    with pytest.raises(ProgramError, match="Name a file that `demur rbr train-grader"):
        _ = spec(file=tmp_path / "absent.json").fingerprint


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "grader/trained needs a file"),
        (
            {"model": "grader/patterns", "file": "g.json"},
            "models that answer from one: rules grader/trained",
        ),
    ],
)
def test_spec_with_a_file_too_many_or_too_few_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        spec(**fields)
