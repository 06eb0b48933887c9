"""The rules lane as comparison writer. It has phrases for each proposition, and puts them together in a fixed order."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from demur.levers.catalogue import Catalogue
from demur.levers.instances import CitedPassage
from demur.levers.vocabulary import PRECEDENCE, Code
from demur.programs.errors import ProgramError
from demur.programs.signatures.completions import Grounding
from demur.rules.edits import as_sentence, sentence_case
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.text import WhWord, find_answers
from demur.text.analysis import content_words, read_question
from demur.text.tokens import sentences, words

# Aims of a completion (the required propositions), and the random numbers that choose its wording.
#
# The random numbers are seeded by the inputs.


@dataclass(frozen=True, slots=True)
class Brief:
    """The inputs of WriteCompletion, and the random numbers that choose the wording.

    `true` has the names of the propositions that must hold.
    """

    policy: str
    behaviour: str
    label: str
    true: frozenset[str]
    prompt: str
    grounding: Grounding | None
    material: Mapping[str, str]
    rng: random.Random

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> "Brief":
        """Return the brief of the inputs. Equal inputs have equal random numbers, and thus equal completions."""
        seed = "|".join(str(inputs[key]) for key in ("policy", "behaviour", "label", "variant", "prompt"))
        return cls(
            policy=inputs["policy"],
            behaviour=inputs["behaviour"],
            label=inputs["label"],
            true=frozenset(aim.name for aim in inputs["aims"] if aim.holds),
            prompt=inputs["prompt"],
            grounding=inputs["grounding"],
            material=inputs["material"] or {},
            rng=random.Random(seed),
        )

    def pick(self, *phrases: str) -> str:
        """Return one of the phrases."""
        return self.rng.choice(phrases)

    def phrase(self, bank: str) -> str:
        """Return one phrase of a bank (a named list in `phrases.yaml`)."""
        return self.pick(*self.bank(bank))

    def bank(self, name: str) -> tuple[str, ...]:
        """Return all phrases of a bank."""
        return tuple(_phrases()[self.policy][name])


@cache
def _phrases() -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = yaml.safe_load(
        Path(__file__).with_name("phrases.yaml").read_text(encoding="utf-8")
    )
    return found


# Completions of the policy selective_refusal: right or wrong answers and codes, and other merits and faults.


LONGEST_SENTENCE: Final = 40


def compose_grounded(brief: Brief) -> str:
    """Return a completion in which the aims hold, as far as question and passages allow."""
    true = brief.true
    grounding = brief.grounding
    if grounding is None:
        grounding = Grounding(question=brief.prompt, passages=(), reference_answers=(), expected_behaviour="")
    parts: list[str] = []
    if "illogical_continuation" in true:
        parts.append(brief.phrase("off_topic"))
    if "states_refusal_code" in true:
        parts.append(_code(brief, grounding))
    elif not true & {"attempts_answer", "illogical_continuation"}:
        parts.append(brief.phrase("declines" if brief.behaviour == "refuse" else "evasions"))
    if "attempts_answer" in true:
        parts.append(_answer(brief, grounding))
    if "names_defect" in true:
        expected = grounding.expected_behaviour
        parts.append(brief.phrase(expected if expected in PRECEDENCE else "any_defect"))
    if "hedges" in true:
        parts.append(brief.phrase("hedges"))
    if "apologises" in true:
        parts.insert(0, brief.phrase("apologies"))
    if "asks_back" in true:
        parts.append(brief.phrase("questions"))
    joined = [p if p[-1] in ".?!])" or number == len(parts) - 1 else p + "." for number, p in enumerate(parts)]
    return " ".join(joined)


def _code(brief: Brief, grounding: Grounding) -> str:
    expected = grounding.expected_behaviour
    if "expected_code" in brief.true:
        return expected
    others = [c.value for c in Code if c.is_refusal and c is not Code.OTHER and c.value != expected]
    return Code.MISSING.value if brief.behaviour == "answer" else brief.pick(*others)


def _answer(brief: Brief, grounding: Grounding) -> str:
    if "answer_correct" in brief.true:
        return _correct(brief, grounding)
    if "outside_knowledge" in brief.true or not grounding.passages:
        return _invented(brief, grounding)
    return _another_fact(brief, grounding)


def _cited(text: str, passage: CitedPassage, grounding: Grounding) -> str:
    return text if len(grounding.passages) == 1 else f"{text} [{passage.number}]"


def _sentences(grounding: Grounding) -> list[tuple[CitedPassage, str]]:
    ordered = sorted(grounding.passages, key=lambda p: not p.relevant)
    return [(p, s.text) for p in ordered for s in sentences(p.text) if 4 <= len(words(s.text)) <= LONGEST_SENTENCE]


def _correct(brief: Brief, grounding: Grounding) -> str:
    """Return an accepted answer alone, or a sentence of the passages with an accepted answer.

    The sentence is the one with most words of the question.
    """
    references = grounding.reference_answers
    asked = content_words(grounding.question)
    giving = [(p, text) for p, text in _sentences(grounding) if p.relevant and find_answers(text, references)]
    if not giving:
        return as_sentence(references[0]) if references else _another_fact(brief, grounding)
    passage, text = max(giving, key=lambda found: len(asked & content_words(found[1])))
    mention = find_answers(text, references)[0]
    short = as_sentence(sentence_case(mention.answer))
    return _cited(brief.pick(text, short), passage, grounding)


def _another_fact(brief: Brief, grounding: Grounding) -> str:
    """Return one of the two sentences that are nearest to the question among those without an accepted answer."""
    asked = content_words(grounding.question)
    others = [(p, s) for p, s in _sentences(grounding) if not find_answers(s, grounding.reference_answers)]
    if not others:
        return "The passages are short."
    others.sort(key=lambda found: (not found[0].relevant, -len(asked & content_words(found[1]))))
    passage, text = brief.rng.choice(others[:2])
    return _cited(as_sentence(text), passage, grounding)


@lru_cache(maxsize=1)
def _made_names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first names and the last names for made-up people."""
    from faker.providers.person.en_GB import Provider

    return tuple(sorted(Provider.first_names)), tuple(sorted(name for name in Provider.last_names if name.isalpha()))


def _invented(brief: Brief, grounding: Grounding) -> str:
    """Return a fluent statement with a made-up value of the kind that is asked for."""
    asked = read_question(grounding.question)
    rng = brief.rng
    first_names, last_names = _made_names()
    year = str(rng.randint(1805, 1995))
    name = rng.choice(last_names)
    person = f"{rng.choice(first_names)} {name}"
    made: dict[WhWord, str] = {
        WhWord.WHO: person,
        WhWord.WHOSE: person,
        WhWord.WHERE: f"{name}ville",
        WhWord.WHEN: f"in {year}",
        WhWord.HOW_MANY: str(rng.randint(41, 980)),
        WhWord.HOW_MUCH: f"{rng.randint(41, 980)} thousand",
        WhWord.HOW_LONG: f"{rng.randint(41, 98)} years",
        WhWord.HOW_OLD: f"{rng.randint(41, 98)} years",
    }
    if asked.wh is WhWord.YES_NO:
        return f"{brief.pick('Yes', 'No')}; {person} settled the matter for good in {year}."
    value = made.get(asked.wh, f"the {name} Society")
    return brief.pick(f"It was {value}, as is generally known.", f"That would be {value}, by all accounts of the time.")


# Completions of the safety policy: a phrase for each required proposition, in the order of a natural reply.


def compose_safety(brief: Brief) -> str:
    """Return a completion in which the aims hold.

    Raises:
        ProgramError: help is demanded and no material is given; rules know no facts.
    """
    true = brief.true
    parts: list[str] = []
    if "empathetic_apology" in true:
        parts.append(brief.phrase("empathy" if _distress(brief) else "comfort"))
    parts += _opening(brief)
    if "illogical_continuation" in true:
        parts.append(_off_topic(brief))
    parts += _help(brief)
    parts += _support(brief)
    parts += _faults(brief)
    return " ".join(parts or [brief.phrase("neutral")])


def _distress(brief: Brief) -> bool:
    return brief.behaviour == "soft_refusal"


def _opening(brief: Brief) -> list[str]:
    """Return the apology, the statement that the request is declined, or both in one sentence."""
    true = brief.true
    third = "third_person" in brief.true
    if _distress(brief):
        refusals = "soft_third_person_refusals" if third else "soft_refusals"
    else:
        refusals = "third_person_refusals" if third else "refusals"
    if {"apology", "inability_to_comply"} <= true:
        refusal = brief.phrase(refusals)
        opener = brief.phrase("sorry_openers")
        keeps = refusal.startswith(("I ", "I'"))
        opener = "Sorry," if third else opener
        return [f"{opener} {refusal if keeps else refusal[0].lower() + refusal[1:]}"]
    if "apology" in true:
        return [brief.phrase("apologies")] + (["We mean that."] if third else [])
    if "inability_to_comply" in true:
        return [brief.phrase(refusals)]
    return [brief.phrase("third_person_asides")] if third and "disclaimer" not in true else []


def _off_topic(brief: Brief) -> str:
    asked = content_words(brief.prompt)
    strange = [text for text in brief.bank("off_topic") if not content_words(text) & asked]
    return brief.pick(*(strange or brief.bank("off_topic")))


def _help(brief: Brief) -> list[str]:
    """Return the part of the reply that helps; an empty list if the aims ask for no help.

    This part is disallowed content, words of thanks addressed to a person in distress, or the material.
    """
    true = brief.true
    if "disallowed_content" in true:
        return [brief.phrase("disallowed")]
    if _distress(brief):
        return [brief.phrase("thanks")] if "partially_complies" in true else []
    wanted = "complete" if "fully_complies" in true else "partial" if "partially_complies" in true else None
    if wanted is None:
        return []
    if wanted not in brief.material:
        raise ProgramError(
            f"material['{wanted}'] is missing: rules cannot write help without given texts. Add facts.{wanted} to "
            "the prompt, or name a language model as writer"
        )
    return [brief.material[wanted]]


def _support(brief: Brief) -> list[str]:
    """Return encouragement, a hint at professional help, and the disclaimer, as far as the aims need these."""
    true = brief.true
    parts = []
    helped = "encourages_professional_help" in true
    warm = "gentle_encouragement" in true
    if warm:
        parts.append(brief.phrase("encouraged_professionals" if helped else "encouragements"))
    elif helped:
        parts.append(brief.phrase("dry_professionals" if _distress(brief) else "professionals"))
    if "disclaimer" in true:
        parts.append(brief.phrase("third_person_disclaimers" if "third_person" in true else "disclaimers"))
    return parts


def _faults(brief: Brief) -> list[str]:
    """Return one phrase for each required fault, in random order; a question comes last."""
    distress = _distress(brief)
    banks = {
        "judgement": "distress_judgements" if distress else "judgements",
        "meta_commentary": "distress_meta" if distress else "meta",
        "threatening_language": "threats",
        "insulting_language": "insults",
        "references_safety_policy": "policies",
        "definitive_verbiage": "pressing",
        "provides_resources": "resources",
        "prescribes_solutions": "remedies",
    }
    parts = [brief.phrase(bank) for name, bank in banks.items() if name in brief.true]
    if "additional_content" in brief.true and "encourages_professional_help" not in brief.true:
        parts.append(brief.phrase("more"))
    brief.rng.shuffle(parts)
    if "requests_information" in brief.true:
        parts.append(brief.phrase("distress_questions" if distress else "questions"))
    return parts


# The rules lane as comparison writer: composes completions from phrases.
#
# A completion should make the required propositions true and all other propositions false.


RULES: Final = {"phrases": None}
COMPOSERS: Final[dict[str, Callable[[Brief], str]]] = {
    "safety": compose_safety,
    "selective_refusal": compose_grounded,
}
"""The policies for whose propositions there are phrases."""


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return one completion.

    Raises:
        ProgramError: there are no phrases for the policy, or an aim needs help whose text (`material`) is not given.
    """
    if which not in RULES:
        raise unknown_rules(which, RULES)
    policy = inputs["policy"]
    if policy not in COMPOSERS:
        raise ProgramError(
            f"rules write completions only for the policies {', '.join(COMPOSERS)}, not for '{policy}'. Name a "
            "language model as writer"
        )
    return {"completion": COMPOSERS[policy](Brief.of(inputs))}
