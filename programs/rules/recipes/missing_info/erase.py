"""Recipes that cut out what answers: an adjunct, a clause, a sentence, an agent, an outcome, or every token of it."""

import random
import re

from programs.rules.analysis.analysis import Analysis, PassageAnalysis, leans_back
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.lexicon import AUXILIARIES, FUNCTION_WORDS, PREPOSITIONS, can_be, verb_lemma, verb_tags
from programs.rules.analysis.questions import WhWord, content_words
from programs.rules.analysis.spans import Sentence, Span
from programs.rules.analysis.tokens import fold, tokenise
from programs.rules.edits.grammar import as_sentence, is_plural, tidy_around, verb_form
from programs.rules.edits.strategy import Edit, remove_answer_everywhere
from programs.rules.edits.style import Style, phrase
from programs.rules.edits.text import excise, excise_sentences, replace_span
from programs.rules.recipes.missing_info.mentions import Phrase, answer_phrases
from programs.rules.recipes.missing_info.wording import GAP, with_gap
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe

_BACK = frozenset("he she it they this that these those such his her its their".split())
_OUTCOME = frozenset(
    "win won wins winner winning beat beaten defeat defeated elect elected result verdict ruling score scored champion "
    "champions outcome decide decided decision vote voted award awarded winners lose lost killed survive survived".split()
)
_METHOD = re.compile(r"\b(?:how|using|used?|uses|method|technique|made of|measured?|means)\b")
_WITH = re.compile(r"\b(?:using|by means of|with the help of|method|technique)\b")
_CAUSE_ASKED = re.compile(
    r"\b(?:why|cause[sd]?|reason|origin|purpose|due|because|led to|inspired|named after|for what)\b"
)
_CAUSE = re.compile(
    r",? (?:because of|because|due to|owing to|thanks to|caused by|as a result of|inspired by|named after|after)\b[^,;.]*"
)
_PASSIVE_VERBS = frozenset(
    "play sing write compose direct invent discover found win paint lead create design voice produce own conduct record "
    "build start host portray destroy establish develop introduce perform propose film publish release make".split()
)
_SETTLED = "No passage gives an accepted answer any more."


def everywhere(analysis: Analysis, edit: Edit, reasoning: str) -> Draft | Declined:
    """Make one edit in every passage that gives the answer."""
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    changed = remove_answer_everywhere(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    return Draft(analysis.question.text, changed, reasoning, _SETTLED)


def leaning(passage: PassageAnalysis, gone: set[int]) -> set[int]:
    """Return `gone` with the sentences that open with a pronoun for something in the sentence cut before them."""
    wider = set(gone)
    for sentence in passage.sentences:
        first = next((t.norm for t in tokenise(sentence.text) if t.is_word), "")
        if sentence.index - 1 in wider and leans_back(sentence.text) and first in _BACK:
            wider.add(sentence.index)
    return wider


def swap_sentences(passage: PassageAnalysis, gone: set[int], instead: str | None = None) -> str | None:
    """Return the passage without the sentences `gone`, `instead` where the first of them stood.

    None when fewer than eight words of it remain and nothing is put in.
    """
    cut = [s for s in passage.sentences if s.index in gone]
    if not cut:
        return None
    if instead is None:
        left = excise_sentences(passage.text, cut)
        return left if len(left.split()) >= 8 else None
    first, rest = cut[0], cut[1:]
    text = excise_sentences(passage.text, rest)
    return text[: first.span.start] + instead + text[first.span.end :]


def answer_indices(passage: PassageAnalysis) -> set[int]:
    """Return the numbers of the sentences that hold an accepted answer."""
    return {s.index for s in passage.answer_sentences}


@recipe("missing_info.missing_temporal_adjunct")
def missing_temporal_adjunct(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete the phrase of time that answers a question for a date."""
    if analysis.answer_type is not AnswerType.DATE:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            span = _adjunct(text, found)
            if span is None:
                return None
            text = excise(text, span)
        return text

    return everywhere(analysis, edit, "The phrase of time that answers was deleted.")


_TIME_LEAD = re.compile(
    r"(?:\(|(?:^|(?<=\s))(?:(?:early|late|mid|around|about|circa|as) ?){0,2}"
    r"(?:in|on|by|since|during|until|before|after|from|around|for|of|at)"
    r"(?: (?:the|early|late|mid|around|about|year|summer|winter|fall|spring|of|c\.))*) ?$",
    re.IGNORECASE,
)


def _adjunct(text: str, found: Phrase) -> Span | None:
    """Return the span of the whole phrase of time, or of a bare year that describes a noun; None if neither."""
    start, end = found.span.start, found.span.end
    after = text[end : end + 1]
    lead = _TIME_LEAD.search(text[:start])
    if lead and lead.group().startswith("("):
        return Span(lead.start(), end + 1) if after == ")" else None
    if found.text.split()[0].lower() in PREPOSITIONS | {"between", "late", "early"}:
        lead = re.search(r"$", text[:start]) if not re.search(r"\b(?:in|on) $", text[:start]) else lead
    if lead is None:
        noun = (
            found.after is not None
            and found.after.is_word
            and (can_be(found.after.norm, "NOUN") or found.after.is_capitalised)
        )
        led = found.before is not None and found.before.norm in {"the", "a", "an", "its", "his", "her", "their"}
        return Span(start, end + 1) if noun and led and after == " " else None
    if after in "-–" and after or (lead.group().strip().lower() == "of" and not found.stands_alone):
        return None
    if found.after is not None and found.after.norm in {"to", "and", "through"}:
        return None
    begin = lead.start() if lead.group() else start
    opens = not text[:begin].strip() or text[:begin].rstrip()[-1:] in ".!?"
    if opens:
        tail = 1 if after == "," else 0
        return Span(begin, end + tail)
    if text[:begin].endswith(", ") and after == ",":
        return Span(begin - 2, end)
    return Span(begin, end)


_BLURS = {
    "place": (
        "under favourable conditions", "in several stages", "with some delay", "in the usual manner", "after long preparation",
        "on a modest scale", "in close cooperation with others",
    ),
    "time": ("after long preparation", "with some delay", "in several stages", "without much notice", "on a modest scale"),
    "agent": ("with great care", "to general approval", "in close cooperation", "with little outside help", "under time pressure"),
}  # fmt: skip


@recipe("missing_info.adjunct_complement_blur")
def adjunct_complement_blur(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a manner or a circumstance where the place, time or person asked for stood."""

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            kind, start = _blurred_as(analysis, found)
            after = text[found.span.end : found.span.end + 1]
            if kind is None or not found.stands_alone or after in "-–" and after or _opens(text, start):
                return None
            if found.after is not None and (
                found.after.norm in {"and", "or", "to"} or found.after.text in {"(", "'", "/"}
            ):
                return None
            if kind == "agent" and text[:start].endswith(", "):
                return None
            text = replace_span(text, Span(start, found.span.end), rng.choice(_BLURS[kind]))
        return text

    return everywhere(analysis, edit, "A circumstance stands where the value asked for stood.")


def _opens(text: str, position: int) -> bool:
    return not text[:position].strip() or text[:position].rstrip()[-1:] in ".!?"


def _blurred_as(analysis: Analysis, found: Phrase) -> tuple[str | None, int]:
    """Return the kind of circumstance that fits and where the prepositional phrase starts."""
    first = found.text.split()[0].lower()
    lead = first if first in PREPOSITIONS else found.preposition.norm if found.preposition else None
    start = found.span.start if first in PREPOSITIONS else found.preposition.start if found.preposition else -1
    if lead in {"in", "at", "on", "near"} and analysis.answer_type is AnswerType.PLACE:
        return "place", start
    if lead in {"in", "at", "on", "inside", "within"} and analysis.question.wh is WhWord.WHERE:
        return "place", start
    if lead in {"in", "on", "by", "around", "during"} and analysis.answer_type is AnswerType.DATE:
        return "time", start
    if lead == "by" and analysis.answer_type in (AnswerType.PERSON, AnswerType.ORGANISATION):
        return "agent", start
    return None, start


@recipe("missing_info.answer_clause_excised")
def answer_clause_excised(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Cut the clause or sentence that answers, and every other mention of the answer with its sentence."""

    def edit(passage: PassageAnalysis) -> str | None:
        return _clauses_cut(passage) or swap_sentences(passage, leaning(passage, answer_indices(passage)))

    return everywhere(analysis, edit, "The clause or sentence that answers was cut out.")


_TAIL = re.compile(r",? (?:and|but|while|where|which|with|when|who) (?P<body>[^;]*?)(?=[.!?][\"”)]?$)")


def _clauses_cut(passage: PassageAnalysis) -> str | None:
    """Cut the smallest clause around every mention; None where a mention stands in no clause that can go."""
    spans: list[Span] = []
    for found in answer_phrases(passage):
        if any(s.covers(found.span) for s in spans):
            continue
        span = _clause(passage, found)
        if span is None or any(s.overlaps(span) for s in spans):
            return None
        spans.append(span)
    text = passage.text
    for span in sorted(spans, reverse=True):
        text = tidy_around(text[: span.start] + text[span.end :], span.start, span.start)
    return text if len(text.split()) >= 8 else None


def _clause(passage: PassageAnalysis, found: Phrase) -> Span | None:
    sentence = passage.sentence_at(found.span)
    for modifier in passage.modifiers:
        if modifier.span.covers(found.span) and modifier.kind.value in {"parenthetical", "side clause"}:
            end = modifier.span.end
            return Span(modifier.span.start, end)
    for match in _TAIL.finditer(sentence.text):
        start = sentence.span.start + match.start()
        words = [t for t in tokenise(match["body"]) if t.is_word][:7]
        verbal = any(verb_tags(w.norm) & {"VBD", "VBZ"} or w.norm in AUXILIARIES for w in words[:5])
        head = [t for t in tokenise(sentence.text[: match.start()]) if t.is_word]
        whole = any(verb_tags(t.norm) & {"VBD", "VBZ"} or t.norm in AUXILIARIES for t in head) and len(head) >= 5
        comma = match.group().startswith(",")
        if (
            comma
            and start < found.span.start
            and verbal
            and whole
            and not any(
                start <= other.span.start for other in answer_phrases(passage) if other.span.start < found.span.start
            )
        ):
            return Span(start, sentence.span.start + match.end())
    return None


@recipe("missing_info.chunk_cut_before_the_answer")
def chunk_cut_before_the_answer(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let every passage that answers break off right before the answer; earlier mentions go with their sentences."""

    def edit(passage: PassageAnalysis) -> str | None:
        holding = passage.answer_sentences
        for number in range(len(holding) - 1, -1, -1):
            text = _cut_in(passage, holding[number], {s.index for s in holding[:number]})
            if text is not None:
                return text
        return None

    return everywhere(
        analysis, edit, "The passage breaks off before the answer, as a badly placed chunk boundary does."
    )


def _cut_in(passage: PassageAnalysis, sentence: Sentence, earlier: set[int]) -> str | None:
    found = next(p for p in answer_phrases(passage) if sentence.span.covers(p.span))
    lead = passage.text[sentence.span.start : found.span.start].rstrip(' ,("“')
    if len(lead.split()) < 3:
        return None
    before = [s for s in passage.sentences if s.index < sentence.index and s.index not in leaning(passage, earlier)]
    text = " ".join([*(s.text for s in before), lead])
    return text if len(text.split()) >= max(8, 0.2 * len(passage.text.split())) else None


@recipe("missing_info.temporal_mismatch_outdated_info")
def temporal_mismatch_outdated_info(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that the passage was closed before the time in question, in the place of the sentences that answer."""
    asked = [int(y) for y in re.findall(r"\b(1[5-9]\d\d|20\d\d)\b", analysis.question.text)]
    sentence = analysis.answer_sentence
    held = [d.year for d in analysis.main.dates if d.year and sentence and sentence.span.covers(d.span)]
    years = asked or [y for y in held if y is not None]
    if not years:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no year is asked for or stated with the answer")
    year = min(years) - rng.randint(1, 3)
    if analysis.is_answer(str(year)):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN)
    said = phrase(
        style,
        rng.choice((
            f"The entry on this point dates from {year}.",
            f"On this point the text is as of {year}.",
            f"This part was last revised in {year}.",
        )),
        rng.choice((
            f"On this point the article was last brought up to date in {year}, and what came after is not covered.",
            f"The paragraph that stood here was written in {year} and has not been revised for later developments.",
            f"For this point only the state of {year} is recorded; later changes were not entered.",
        )),
    )  # fmt: skip

    def edit(passage: PassageAnalysis) -> str | None:
        return swap_sentences(passage, leaning(passage, answer_indices(passage)), said)

    return everywhere(analysis, edit, f"What is left speaks as of {year}; the value asked for was removed.")


@recipe("missing_info.answer_token_purge")
def answer_token_purge(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Cut every sentence in which any word of the answer stands."""
    asked = content_words(analysis.question.text)
    words = {t.norm for a in analysis.base.answers for t in tokenise(a) if t.is_word}
    tokens = {w for w in words if w not in FUNCTION_WORDS and w not in asked and (len(w) > 2 or w.isdigit())}

    def edit(passage: PassageAnalysis) -> str | None:
        gone = {s.index for s in passage.sentences if tokens & {t.norm for t in tokenise(s.text)}}
        return swap_sentences(passage, leaning(passage, gone | answer_indices(passage)))

    return everywhere(analysis, edit, "Every sentence with a word of the answer was cut out.")


@recipe("missing_info.agent_deletion")
def agent_deletion(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Tell the event without whoever brought it about."""
    if (
        analysis.answer_type not in (AnswerType.PERSON, AnswerType.ORGANISATION)
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
    """Return the asked event in the passive, without an agent: 'Shaggy was played in the new film.'"""
    question, gapped = analysis.question, with_gap(analysis)
    lemma = verb_lemma(question.verb.lower()) if question.verb else None
    if gapped is None or question.auxiliary is not None or lemma not in _PASSIVE_VERBS or not question.verb:
        return None
    match = re.fullmatch(rf"{GAP} {re.escape(question.verb)} (?P<rest>.+)", gapped)
    if not match:
        return None
    words = match["rest"].split()
    at = next((i for i, w in enumerate(words) if i and w.lower() in PREPOSITIONS - {"of"}), len(words))
    thing, tail = " ".join(words[:at]), " ".join(words[at:])
    past = "VBD" in verb_tags(question.verb.lower())
    be = (
        ("were" if past else "are")
        if is_plural(re.split(r" of ", thing)[0]) and thing.islower()
        else ("was" if past else "is")
    )
    return as_sentence(f"{thing} {be} {verb_form(lemma, 'VBN')} {tail}".strip())


@recipe("missing_info.patient_erasure")
def patient_erasure(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Keep the action and who performs it, and erase what it is done to."""
    question, gapped = analysis.question, with_gap(analysis)
    lemma = verb_lemma(question.verb.lower()) if question.verb else None
    if (
        gapped is None
        or question.auxiliary not in {"did", "does", "do"}
        or question.wh not in (WhWord.WHAT, WhWord.WHO, WhWord.WHICH)
    ):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not ask for an object")
    verb = {"did": "VBD", "does": "VBZ", "do": "VB"}[question.auxiliary]
    match = re.fullmatch(rf"(?P<subject>.+?) {re.escape(verb_form(lemma or '', verb))} {GAP}(?P<rest>.*)", gapped)
    if not match or not lemma:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    done = {"did": "did", "does": "does", "do": "do"}[question.auxiliary]
    said = as_sentence(f"{match['subject']} {done} some {verb_form(lemma, 'VBG')}{match['rest']}")

    def edit(passage: PassageAnalysis) -> str | None:
        return swap_sentences(passage, leaning(passage, answer_indices(passage)), said)

    return everywhere(analysis, edit, "The action stays; what it is done to was erased.")


@recipe("missing_info.verdict_outcome_removal")
def verdict_outcome_removal(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the text end before the contest or trial is decided."""
    if not _OUTCOME & {t.norm for t in analysis.question.tokens}:
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
    if analysis.question.wh is not WhWord.HOW and not _METHOD.search(fold(analysis.question.text)):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not ask how or with what")

    def edit(passage: PassageAnalysis) -> str | None:
        means = {s.index for s in passage.sentences if _WITH.search(s.text)}
        held = answer_indices(passage)
        return swap_sentences(passage, leaning(passage, held | means)) or swap_sentences(
            passage, leaning(passage, held)
        )

    return everywhere(analysis, edit, "The sentences that tell how it was done were removed.")
