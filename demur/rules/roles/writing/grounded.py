"""Completions of the policy selective_refusal: right or wrong answers and codes, and other merits and faults."""

from functools import lru_cache
from typing import Final

from demur.levers.instances import CitedPassage
from demur.levers.vocabulary import PRECEDENCE, Code
from demur.programs.signatures.comparison import Grounding
from demur.rules.edits.grammar import as_sentence, sentence_case
from demur.rules.roles.writing.aims import Brief
from demur.text import WhWord, find_answers
from demur.text.questions import content_words, read_question
from demur.text.tokens import sentences, words

LONGEST_SENTENCE: Final = 40


def compose(brief: Brief) -> str:
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
