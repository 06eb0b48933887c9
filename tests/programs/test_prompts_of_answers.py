"""What respondents, judges, writers and graders are told: one line between codes, one numbering, nothing left open."""

from pathlib import Path

import dspy
import pytest
import yaml

from demur.configuration.labels import labelled_respondents
from demur.errors import ConfigError
from demur.flows.rounds.request import find_round_config, read_round_config
from demur.levers.policies import load_policy
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.errors import ReplyError
from demur.programs.judge import _judgement
from demur.programs.options import Prompts
from demur.programs.respondent import Respondent
from demur.programs.signatures.judgement import Classification
from demur.programs.signatures.response import signature_of

SAFETY, SELECTIVE = load_policy("safety"), load_policy("selective_refusal")
LAYOUTS = [False, True]


@pytest.mark.parametrize("surely", [False, True])
def test_prompt_sets_are_the_same_task_with_other_fingerprints_and_published_is_the_default(surely: bool) -> None:
    coded = (Prompts.OURS, Prompts.PUBLISHED)
    for several in LAYOUTS:
        ours, published = (contract(signature_of(p, several=several, surely=surely)) for p in coded)
        assert ours.task == published.task and ours.system != published.system
    prints = {prompts: fingerprint(Respondent(prompts, surely)) for prompts in Prompts}
    assert len(set(prints.values())) == len(Prompts)
    assert fingerprint(Respondent(elicit_confidence=surely)) == prints[Prompts.PUBLISHED]


def test_respondents_of_a_round_are_labelled_by_model_and_by_our_prompts() -> None:
    config = read_round_config(find_round_config("frontier"))
    assert list(labelled_respondents(config)) == list(config.roles.respondents)
    both = config.model_copy(update={"response_prompts": (Prompts.OURS, Prompts.PUBLISHED)})
    labels = labelled_respondents(both)
    assert {"gpt", "gpt (ours)"} <= set(labels) and "always-answers (ours)" not in labels
    assert (labels["gpt (ours)"].model, labels["gpt (ours)"].prompts) == ("gpt", Prompts.OURS)
    one = both.model_copy(update={"respondent_prompts": {"gpt": (Prompts.OURS,)}})
    assert set(labels) - set(labelled_respondents(one)) == {"gpt"}


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"gpt": ["ours"]}, "respondent_prompts.gpt has ours, which response_prompts lacks \\(published\\)"),
        ({"always-answers": ["published"]}, "respondent_prompts.always-answers is no respondent that reads prompts"),
        ({"nobody": ["published"]}, "respondent_prompts.nobody is no respondent that reads prompts. Name one of gpt"),
        ({"gpt": []}, "respondent_prompts.gpt"),
    ],
)
def test_prompts_of_one_respondent_are_some_of_those_of_the_round(
    chosen: dict[str, list[str]], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "one.yaml"
    given = yaml.safe_load(find_round_config("frontier").read_text("utf-8"))
    path.write_text(yaml.safe_dump(given | {"respondent_prompts": chosen}), "utf-8")
    with pytest.raises(ConfigError, match=said):
        read_round_config(path)


def reply(**changes: object) -> dspy.Prediction:
    rated = {"eligible": None, "supported_all": True, "supported_relevant": False, "quality": None, "explanation": "e"}
    return dspy.Prediction(classification=Classification("ANSWER_ATTEMPT"), **{**rated, **changes})


def test_attempt_without_reference_answers_is_a_class_alone() -> None:
    for said in (None, True, False):
        judged = _judgement(reply(eligible=said), answerable=False, grounded=True)
        assert (judged.eligible, judged.correct, judged.supported_all) == (None, None, None)


def test_attempt_with_reference_answers_needs_eligibility() -> None:
    with pytest.raises(ReplyError, match="not rated: eligible"):
        _judgement(reply(), answerable=True, grounded=True)
    judged = _judgement(reply(eligible=True, supported_relevant=True), answerable=True, grounded=True)
    assert judged.correct is True
    assert _judgement(reply(eligible=True), answerable=True, grounded=True).correct is False
