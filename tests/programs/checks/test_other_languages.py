import pytest

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation, Stratum
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import AnswerFate, Target
from demur.programs.checks.changes import CheckName, CheckResult, Outcome
from demur.programs.checks.run import check
from demur.programs.lever_needs import fitting
from tests.text.bases import single

CATALOGUE = load_catalogue()
TEXTS = {
    "de": (
        "In welchem Jahr wurde die Mühle stillgelegt?",
        ("1.911", "1911"),
        "Die Mühle stand am Fluss und mahlte Korn. Im Jahr 1911 wurde sie stillgelegt. Dann kaufte sie ein Bäcker.",
        "Die Mühle stand am Fluss und mahlte Korn. Dann kaufte sie ein Bäcker.",
        "The mill stood by the river and ground the corn of three villages. Dann kaufte sie ein Bäcker.",
    ),
    "zh": (
        "凯特山的灯塔是谁建造的？",
        ("林海",),
        "灯塔立在港口北边的岩石上。灯塔由工匠林海建造。每天傍晚，守塔人点亮灯火。",
        "灯塔立在港口北边的岩石上。每天傍晚，守塔人点亮灯火。",
        "The lighthouse stands on the rocks north of the harbour town. 每天傍晚，守塔人点亮灯火。",
    ),
}


def lever(fate: AnswerFate, target: Target = Target.CONTEXT) -> Lever:
    return next(one for one in CATALOGUE if one.answer is fate and one.target is target and not one.languages)


def results(language: str, text: str, pulled: Lever, question: str | None = None) -> dict[CheckName, CheckResult]:
    asked, answers, old, _, _ = TEXTS[language]
    base = single(asked, answers, old, language)
    changed = (ChangedPassage(index=0, text=text),) if text != old else ()
    made = Perturbation(question=question or asked, changed=changed, lever=pulled.name)
    stratum = Stratum(lever_class=pulled.lever_class, intensity=pulled.intensity)
    return {result.name: result for result in check(base, made, pulled, stratum)}


@pytest.mark.parametrize("language", TEXTS)
def test_sentence_of_another_language_and_leaked_code_fail(language: str) -> None:
    _, _, _, without, english = TEXTS[language]
    pulled = lever(AnswerFate.REMOVED)
    foreign = results(language, english, pulled)[CheckName.LENGTH_AND_LANGUAGE]
    assert foreign.outcome is Outcome.FAIL and "has a sentence that is not" in foreign.evidence
    leaked = results(language, f"{without} REFUSE_INFO_MISSING_IN_CONTEXT", pulled)[CheckName.NO_LEAK]
    assert leaked.outcome is Outcome.FAIL


def test_change_beside_the_target_fails_in_any_language() -> None:
    _, _, _, without, _ = TEXTS["zh"]
    found = results("zh", without, lever(AnswerFate.REMOVED), question="桥有多长？")[CheckName.TARGET_ONLY]
    assert found.outcome is Outcome.FAIL


def test_lever_of_one_language_is_not_offered_to_others_and_every_stratum_has_some() -> None:
    english_only = {one.id for one in CATALOGUE if one.languages == ("en",)}
    assert english_only >= {"ambiguity.late-resolving-garden-path", "ambiguity.sluiced-wh-ambiguity"}
    for language, (question, answers, text, _, _) in TEXTS.items():
        passages = (Passage(index=0, text=text, relevant=True),)
        base = BaseInstance(question=question, answers=answers, passages=passages, language=language)
        for stratum in {(one.lever_class, one.intensity) for one in CATALOGUE}:
            offered = fitting(base, CATALOGUE.stratum(*stratum))
            assert len(offered) >= 4 and english_only.isdisjoint(one.id for one in offered)
