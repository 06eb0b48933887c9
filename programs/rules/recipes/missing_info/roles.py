"""HIGH: who did it, to whom, why, how, or with what result is left out of the telling."""

import random
import re

from demur.programs.rules.edits.answer_phrases import answer_phrases
from demur.programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.programs.rules.edits.grammar import as_sentence, is_plural, verb_form
from demur.programs.rules.edits.style import Style
from demur.programs.rules.edits.text import excise
from demur.programs.rules.recipes.missing_info.everywhere import everywhere
from demur.programs.rules.recipes.missing_info.wording import GAP, MOST_WORDS, asked_type, with_gap
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import AskedFact, FactKind, asked_fact
from demur.programs.text.lexicon import PREPOSITIONS, verb_lemma, verb_tags, word_set
from demur.programs.text.questions import WhWord
from demur.programs.text.spans import Span
from demur.programs.text.tokens import fold, tokenise

_OUTCOME = word_set(
    "win won wins winner winning winners defeat defeated elect elected result verdict ruling score scored champion "
    "champions championship outcome decided decision voted lose lost"
)
_DECIDED = word_set("win won wins winner winners defeated elected verdict ruling champion outcome")
_METHOD = re.compile(
    r"\b(?:how (?:did|do|does|was|were|is|are) |what (?:\w+ ){0,2}(?:is|was|are|were) used|method|technique|"
    r"used to (?:make|assess|measure|produce|create|date|identify|treat))"
)
_WITH = re.compile(r"\b(?:using|by means of|with the help of|method|technique)\b")
_CAUSE_ASKED = re.compile(
    r"\bwhy\b|\bwhat (?:\w+ ){0,2}(?:the )?(?:\w+ ){0,2}(?:causes?|reason|origin|purpose) (?:of|for|behind)\b"
    r"|\bwhat (?:caused|causes|led to|inspired|triggered)\b|\bnamed (?:after|for)\b"
)
_CAUSE = re.compile(r",? (?:because of|because|due to|owing to|thanks to|as a result of|caused by)\b[^,;.]*(?=[.]$)")
_STAGED = {"play": "cast", "portray": "cast", "voice": "cast", "sing": "recorded", "win": "decided"}
"""What is said of a part, a song or a contest whose agent is left out."""
_INSTRUMENTS = re.compile(
    r"\b(?:guitar|piano|drums?|bass|violin|organ|saxophone|trumpet|sport|football|tennis|chess)\b", re.I
)
_COMPLETE = word_set("used produced written influenced published played built designed worked studied sung sold taught")
"""Verb forms that can end a sentence when what follows them is left out."""
_ACTIONS = word_set(
    "write sing build discover invent direct film publish release buy acquire sell produce destroy steal paint teach "
    "study sprinkle record design compose collect plant print ship translate photograph"
)
_PASSIVE_VERBS = word_set(
    "play sing write compose direct invent discover found win paint lead create design voice produce own conduct "
    "record build start host portray destroy establish develop introduce perform propose film publish release make"
)


@recipe("missing_info.agent_deletion")
def agent_deletion(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Tell the event without whoever brought it about."""
    if (
        asked_type(analysis) not in (AnswerType.PERSON, AnswerType.ORGANISATION)
        or analysis.question.wh is not WhWord.WHO
    ):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    passive = _passive(analysis)

    def edit(passage: PassageAnalysis) -> str | None:
        return _agents_cut(passage) or (
            swap_sentences(passage, leaning(passage, answer_indices(passage)), passive) if passive else None
        )

    return everywhere(analysis, edit, "The event is told without its agent.")


def _agents_cut(passage: PassageAnalysis) -> str | None:
    """Delete 'by X' wherever the agent stands; None if a mention is no such phrase."""
    text = passage.text
    for found in reversed(answer_phrases(passage)):
        lead = found.preposition
        listed = found.after is not None and (
            found.after.norm in {"and", "with"} or found.after.text in {",", "(", "&"}
        )
        if lead is None or lead.norm != "by" or listed or not found.stands_alone or text[: lead.start].endswith(", "):
            return None
        text = excise(text, Span(lead.start, found.span.end))
    return text


def _passive(analysis: Analysis) -> str | None:
    """Return the asked event without an agent ('The part of Shaggy was cast.'), None where it can't be phrased."""
    question, gapped = analysis.question, with_gap(analysis)
    lemma = verb_lemma(question.verb.lower()) if question.verb else None
    if gapped is None or question.auxiliary is not None or lemma not in _PASSIVE_VERBS or not question.verb:
        return None
    match = re.fullmatch(rf"{GAP} {re.escape(question.verb)} (?P<rest>.+)", gapped)
    if not match:
        return None
    thing = match["rest"]
    if thing.split()[0].lower() in PREPOSITIONS:
        return None
    past = "VBD" in verb_tags(question.verb.lower())
    if _INSTRUMENTS.search(thing):
        lemma = "play" if lemma == "win" else lemma
    elif lemma in {"play", "portray", "voice"}:
        return as_sentence(f"the part of {thing} {'was' if past else 'is'} {_STAGED[lemma]}")
    head = re.split(r" (?:of|in|from|at|on|by|for) ", thing)[0]
    many = is_plural(head) and head.islower()
    be = ("were" if many else "was") if past else ("are" if many else "is")
    return as_sentence(f"{thing} {be} {_STAGED.get(lemma or '') or verb_form(lemma or '', 'VBN')}")


@recipe("missing_info.patient_erasure")
def patient_erasure(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Keep the action and who performs it, and erase what it is done to or with."""
    fact = asked_fact(analysis)
    said = _without_object(fact) if fact is not None and fact.kind is FactKind.OBJECT else None
    if said is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "what is asked for is not the object of an action")

    def edit(passage: PassageAnalysis) -> str | None:
        return swap_sentences(passage, leaning(passage, answer_indices(passage)), said)

    return everywhere(analysis, edit, "The action stays; what it is done to was erased.")


def _without_object(fact: AskedFact) -> str | None:
    """Return the asked fact without its object ('The umbrella was used.'), None where it would not be a sentence."""
    words = fact.before.split()
    if not 3 <= len(words) <= MOST_WORDS or fact.after.startswith(","):
        return None
    last = words[-1].lower()
    if last in PREPOSITIONS:
        acts = words[-2].lower() in _COMPLETE and (not fact.after or fact.after.split()[0] in PREPOSITIONS)
        relative = any(w in {"that", "which", "who", "a"} for w in words)
        return as_sentence(f"{' '.join(words[:-1])} {fact.after}".strip()) if acts and not relative else None
    lemma = verb_lemma(last)
    if lemma not in _ACTIONS or not lemma:
        return None
    done = "does" if "VBZ" in verb_tags(last) else "did" if "VBD" in verb_tags(last) else "do"
    return as_sentence(f"{' '.join(words[:-1])} {done} some {verb_form(lemma, 'VBG')} {fact.after}".strip())


@recipe("missing_info.verdict_outcome_removal")
def verdict_outcome_removal(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the text end before the contest or trial is decided."""
    if not _DECIDED & {t.norm for t in analysis.question.tokens}:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not ask for an outcome")

    def edit(passage: PassageAnalysis) -> str | None:
        first = min(answer_indices(passage))
        after = {s.index for s in passage.sentences if s.index >= first}
        decided = {s.index for s in passage.sentences if _OUTCOME & {t.norm for t in tokenise(s.text)}}
        return swap_sentences(passage, after | decided) or swap_sentences(
            passage, leaning(passage, answer_indices(passage) | decided)
        )

    return everywhere(analysis, edit, "The text ends before anything was decided.")


@recipe("missing_info.cause_omission")
def cause_omission(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Remove the cause, reason, origin or purpose asked for."""
    if not _CAUSE_ASKED.search(fold(analysis.question.text)):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not ask for a cause")

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            sentence = passage.sentence_at(found.span)
            inside = [
                Span(sentence.span.start + m.start(), sentence.span.start + m.end())
                for m in _CAUSE.finditer(sentence.text)
            ]
            span = next((s for s in inside if s.covers(found.span)), None)
            if span is None:
                return swap_sentences(passage, leaning(passage, answer_indices(passage)))
            text = excise(text, span)
        return text

    return everywhere(analysis, edit, "The cause asked for was removed.")


@recipe("missing_info.method_section_removed")
def method_section_removed(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Remove how something was done, wherever it is told."""
    if not _METHOD.search(fold(analysis.question.text)):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not ask how or with what")

    def edit(passage: PassageAnalysis) -> str | None:
        means = {s.index for s in passage.sentences if _WITH.search(s.text)}
        held = answer_indices(passage)
        return swap_sentences(passage, leaning(passage, held | means)) or swap_sentences(
            passage, leaning(passage, held)
        )

    return everywhere(analysis, edit, "The sentences that tell how it was done were removed.")
