"""The rules lane as judge: recognises refusals by codes and wordings, and grades answers.

Answers are compared with the accepted answers and the passages.
"""

from collections.abc import Sequence
from typing import Final

from demur.levers.catalogue import Catalogue
from demur.levers.instances import CitedPassage
from demur.levers.vocabulary import ATTEMPT, ENGLISH, Code
from demur.programs.refusal_codes import read_reply, stated_codes
from demur.programs.signatures.judgement import CANNOT_TELL, PARTIAL, Classification, PlainClassification
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.given_answer import CHOICE, final_answer, gives, is_right
from demur.rules.roles.plain_words import plain_class
from demur.rules.roles.support import copies, supported, without_citations
from demur.text import find_answers
from demur.text.answers import YES_NO
from demur.text.questions import content_words
from demur.text.tokens import fold, tokenise, words

RULES: Final = {"patterns": None}
MOST_NEEDLESS_WORDS: Final = 8


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return the class of a response. If the class is an attempt, also return the grades of the answer."""
    if which not in RULES:
        raise unknown_rules(which, RULES)
    if task == "JudgeDerivation":
        return _derived(inputs)
    response = inputs["response"]
    references = inputs["reference_answers"]
    plain = "Plain" in task
    short = task.endswith("ShortAnswer")
    said = _plain_class(response, inputs["question"]) if plain else _class(response)
    classification = (PlainClassification if plain else Classification)(said)
    if said not in (ATTEMPT, PARTIAL):
        refusal = {"explanation": f"declines, by code or reason {said}", "classification": classification}
        if short:
            return {**refusal, "quality": None}
        return {**refusal, "eligible": None, "supported_all": None, "supported_relevant": None}
    claim = without_citations(response)
    if short:
        if not references:
            return {
                "classification": classification,
                "explanation": "an attempt where none was due",
                "quality": None,
            }
        quality = _quality(inputs["question"], claim, references)
        graded = CANNOT_TELL if quality is None else f"an attempt of quality {quality}"
        return {"classification": classification, "explanation": graded, "quality": quality}
    return {"classification": classification, **_grounded(inputs, claim, references)}


def _derived(inputs: Inputs) -> Outputs:
    """Return whether a derived answer is an accepted one. Rules do not check what the accepted answer rests on."""
    same = bool(is_right(inputs["question"], inputs["answer"], inputs["accepted_answers"]))
    said = "the answer is an accepted one" if same else "the answer is no accepted one, as far as rules see"
    return {"working": "", "not_carried": (), "settled": True, "same": same, "explanation": said}


def _class(response: str) -> str:
    code = refusal_of(response)
    return ATTEMPT if code is None else code.value


def _plain_class(response: str, question: str) -> str:
    """Return the class of a response in plain words; if the response has a code, the code decides."""
    code = refusal_of(response) if stated_codes(response) else None
    return code.value if code is not None else plain_class(response, question)


def refusal_of(response: str) -> Code | None:
    """Return the refusal code of a response; None for an attempt to answer."""
    return read_reply(response).code


def knows(response: str, answers: Sequence[str], language: str = ENGLISH) -> bool:
    """Return whether a response plainly gives an accepted answer.

    Yes and no do not show knowledge, since half of all guesses are right. In languages other than English any mention
    of an answer is enough, because denials and alternatives are not recognised.
    """
    if language != ENGLISH:
        return not stated_codes(response) and bool(find_answers(response, tuple(answers), language))
    telling = tuple(answer for answer in answers if fold(answer.strip()) not in YES_NO)
    return bool(telling) and refusal_of(response) is None and gives(response, telling)[1]


def _quality(question: str, claim: str, references: tuple[str, ...]) -> int | None:
    """Return the grade of an answer; None if patterns cannot tell whether the answer is right."""
    right = is_right(question, claim, references)
    if right is None:
        return None
    said = final_answer(claim)
    if right:
        longest = max(len(tokenise(reference)) for reference in references)
        return 5 if len(words(said)) <= longest + MOST_NEEDLESS_WORDS else 4
    if gives(said, references)[0]:
        return 3 if CHOICE.search(said) or " or " in said else 2
    return 3 if content_words(question) & content_words(claim) or len(words(claim)) <= MOST_NEEDLESS_WORDS else 1


def _grounded(inputs: Inputs, claim: str, references: tuple[str, ...]) -> Outputs:
    """Return the grades of an answer from several documents.

    `eligible`: whether the answer plainly gives a reference answer; None without references, and if patterns cannot
    tell, as of a long copy of the passages. `supported_all`: whether the passages support each claim.
    `supported_relevant`: whether the relevant passages alone support each claim.
    """
    passages: Sequence[CitedPassage] = inputs["passages"]
    texts = [p.text for p in passages]
    echoes = copies(claim, texts)
    eligible = is_right(inputs["question"], claim, references) if references and not echoes else None
    by_all = supported(claim, texts)
    by_relevant = supported(claim, [p.text for p in passages if p.relevant])
    missed = by_all.unsupported or by_relevant.unsupported
    graded = f"no passage supports '{missed[:60]}'" if missed else "each claim is supported"
    return {
        "explanation": CANNOT_TELL if references and eligible is None else graded,
        "eligible": eligible,
        "supported_all": not by_all.unsupported,
        "supported_relevant": not by_relevant.unsupported,
    }
