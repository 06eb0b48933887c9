"""Ambiguities: a question that no longer says what it asks, a name or pronoun with two bearers, two values for one."""

import re
from collections.abc import Iterator
from typing import Final

from demur.levers.frames import Kind
from demur.rules.edits.casing import in_register
from demur.rules.edits.text import replace_span
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.rules.rivals import Rival, find_rival, is_one_time
from demur.rules.subject import subject
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.dates import DatePrecision, find_dates
from demur.text.kinds import DATED, gender_of, introduced, is_full_name, kind_of_noun
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, is_known, verb_tags
from demur.text.modifiers import ModifierKind
from demur.text.names import NameKind
from demur.text.questions import WhWord
from demur.text.spans import Span
from demur.text.tokens import fold, tokenise


@operator("ambiguity.keywords")
def keywords(pull: Pull) -> Draft | Declined:
    """Leave nothing of the question but the name of what it asks about, as it is typed into a search box."""
    about = subject(pull.analysis)
    name = fold(about.plain).strip('"“” ') if about is not None else ""
    if " " not in name or len(name.split()) > 6 or PREPOSITIONS & {name.split()[0], name.split()[-1]}:
        return Declined(DeclineReason.NO_TOPIC)
    return Draft(name, reasoning="Which fact is wanted is no longer said.")


_HEADS: Final = {
    WhWord.WHO: "who", WhWord.WHEN: "when", WhWord.WHERE: "where", WhWord.WHY: "why",
    WhWord.HOW_MANY: "how many", WhWord.HOW_MUCH: "how much",
}  # fmt: skip


def _head(analysis: Analysis) -> tuple[str, str, str] | None:
    """Return question word, auxiliary and pronoun of a question; None where it has no plain ones."""
    question = analysis.question
    word = _HEADS.get(question.wh)
    if word is None or not question.fronted:
        return None
    auxiliary = question.auxiliary or ("did" if question.verb and "VBD" in verb_tags(fold(question.verb)) else "does")
    about = subject(analysis)
    person = about is not None and about.kind is Kind.PERSON and gender_of(about.name)
    several = auxiliary in {"are", "were", "do", "have"}
    pronoun = "they" if several else {"female": "she", "male": "he"}.get(person or "", "it")
    return word, auxiliary, pronoun


@operator("ambiguity.ellipsis")
def ellipsis(pull: Pull) -> Draft | Declined:
    """Leave question word, auxiliary and pronoun of the question: 'when did they', 'who did in the end'."""
    head = _head(pull.analysis)
    if head is None or sum(len(p.sentences) for p in pull.analysis.signal) < 3:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    word, auxiliary, pronoun = head
    asks_doer = word == "who" or word.startswith("how m")
    about = subject(pull.analysis)
    meant = about is not None and f"{auxiliary} {about.said}".lower() in pull.analysis.question.text.lower()
    if not meant and (not asks_doer or pull.analysis.question.auxiliary or "'s" in pull.analysis.question.text):
        return Declined(DeclineReason.NO_TOPIC, "a pronoun stands for nothing that the question names")
    if word == "how much" or asks_doer and auxiliary not in {"did", "does", "do", "has", "have"}:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    kept = f"{word} {auxiliary}" if asks_doer else f"{word} {auxiliary} {pronoun}"
    usable = (kept, f"{kept} in the end", f"so {kept}", f"{kept} after all", f"but {kept}")
    question = in_register(pull.analysis.question, pull.rng.choice(usable))
    return Draft(question, reasoning="The verb phrase is left out, and nothing says which deed is meant.")


@operator("ambiguity.follow_up")
def follow_up(pull: Pull) -> Draft | Declined:
    """Put the follow-up of a conversation that is not there in the question's place: 'and when did the other one'."""
    head = _head(pull.analysis)
    if head is None or sum(len(p.names) for p in pull.analysis.signal) < 3:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    word, auxiliary, _ = head
    other = "the others" if auxiliary in {"are", "were", "do", "have"} else "the other one"
    variants = (
        f"and {word} {auxiliary} {other}",
        f"and {'what about' if word == 'who' else word + ' for'} {other}",
        f"ok and {other}",
        "and the one before that",
        f"no I mean {other}",
    )
    question = in_register(pull.analysis.question, pull.rng.choice(variants))
    return Draft(question, reasoning="Nothing in the question says what it asks about.")


@operator("ambiguity.second_sense")
def second_sense(pull: Pull) -> Draft | Declined:
    """Put a word with a second sense in the place of a plain one: 'shot' for 'directed'."""
    asked = pull.analysis.question.text
    about = subject(pull.analysis)
    for frame in pull.frames(about.kind if about is not None else None):
        plain, _, other = frame.text.partition(" -> ")
        inside = re.compile(rf"^{plain}\b|(?<= ){plain}(?=\W*$)", re.IGNORECASE)
        if len(inside.findall(asked)) == 1:
            question = in_register(pull.analysis.question, inside.sub(other, asked).rstrip("?"))
            return Draft(question, reasoning="A word of the question has a second sense.")
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


@operator("ambiguity.pronoun")
def pronoun(pull: Pull) -> Draft | Declined:
    """Put he, she or it for the subject of a sentence, where the one before has the same subject and names another."""
    for passage in pull.analysis.signal:
        for span, said in _repeated(passage):
            if not any(span.overlaps(a.span) for a in passage.answers):
                text = passage.text[: span.start] + said + passage.text[span.end :]
                why = "A pronoun stands for a repeated subject."
                return Draft(pull.analysis.question.text, {passage.index: text}, reasoning=why)
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


def _repeated(passage: PassageAnalysis) -> Iterator[tuple[Span, str]]:
    """Yield names that open a sentence and are the subject of the one before, with the pronoun that fits."""
    opens = {n.span.start: n for n in passage.names}
    entry = introduced(passage.text)
    for before, sentence in zip(passage.sentences, passage.sentences[1:], strict=False):
        first = opens.get(before.span.start)
        second = opens.get(sentence.span.start)
        noun = re.match(r"The (?P<noun>[a-z]{3,}[a-rt-z]) (?P<next>[a-z]+) ", sentence.text)
        if noun is not None and _is_taken_up(before.text, noun["noun"], noun["next"]):
            span = Span(sentence.span.start, sentence.span.start + noun.end("noun"))
            yield span, "It"
        if first is None or second is None or second.norm not in (first.norm, first.last_word):
            continue
        following = tokenise(passage.text[second.span.end : second.span.end + 40])[:1]
        if not following or not (following[0].norm in AUXILIARIES or verb_tags(following[0].norm) & {"VBD", "VBZ"}):
            continue
        others = [n for n in passage.names if before.span.covers(n.span) and n.norm != first.norm]
        full = next((n.text for n in passage.names if is_full_name(n.text) and n.last_word == first.last_word), "")
        sex = gender_of(full) if first.kind is NameKind.PERSON and full else None
        if sex is not None and any(n.kind is NameKind.PERSON for n in others):
            yield second.span, "He" if sex == "male" else "She"
        elif others and entry is not None and entry[1] is not Kind.PERSON and fold(entry[0]) == first.norm:
            yield second.span, "It"


def _is_taken_up(before: str, noun: str, following: str) -> bool:
    """Return whether a sentence has a noun in the singular, and something else that 'it' could stand for."""
    verb = following in AUXILIARIES or bool(verb_tags(following) & {"VBD", "VBZ"}) and not can_be(following, "NOUN")
    others = re.findall(r"\b(?:a|an|the|its|this) (?:[a-z]+ )?([a-z]{3,})", before.lower())
    person = kind_of_noun(noun) is Kind.PERSON or not can_be(noun, "NOUN")
    return verb and not person and re.search(rf"\b{noun}\b", before) is not None and len(set(others) - {noun}) > 0


_RESPELT: Final = (
    (r"mann$", "man"), (r"son$", "sen"), (r"(?<=[a-z])ll", "l"), (r"(?<=[a-z])tt", "t"), (r"(?<=[a-z])nn", "n"),
    (r"ck", "k"), (r"ey$", "y"), (r"ie$", "y"), (r"(?<=[a-z])ph", "f"), (r"(?<=[a-z])ss", "s"),
)  # fmt: skip
"""Ways to spell a name that its bearers vary in: Hoffmann and Hoffman, Nielson and Nielsen."""


_SUBORDINATE: Final = frozenset("when while as after before because although since if once until unless".split())
_THAT: Final = re.compile(
    r"\b(?:believ|sa(?:id|ys)|claim|argu|show|found|stat|report|kn[eo]w|th(?:ought|ink)|decid|announc|suggest|confirm|"
    r"discover|reveal|not|mention|realis|realiz|fear|hop)[a-z]* "
    r"(?P<that>that )(?=(?:the|a|an|his|her|its|their|[A-Z][a-z]+) )"
)


@operator("ambiguity.joint_left_out")
def joint_left_out(pull: Pull) -> Draft | Declined:
    """Leave out a 'that' or the comma behind an opening, so that a reader starts on a wrong analysis for a moment."""
    found = []
    for passage in pull.analysis.signal:
        held = [s.index for s in passage.answer_sentences] or [0]
        for span in _joints(passage):
            near = min(abs(passage.sentence_at(span).index - index) for index in held)
            found.append((near, passage.index, span, passage.text[: span.start] + passage.text[span.end :]))
    near_enough = [one for one in found if one[0] <= 2]
    if not near_enough:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    _, index, _, text = min(near_enough)
    return Draft(
        pull.analysis.question.text, {index: text}, reasoning="A word or comma that joins two parts is left out."
    )


def _joints(passage: PassageAnalysis) -> Iterator[Span]:
    for match in _THAT.finditer(passage.text):
        yield Span(match.start("that"), match.end("that"))
    for modifier in passage.modifiers:
        last = fold(modifier.text.split()[-1]).strip(".")
        comma = modifier.span.start + len(modifier.text)
        opens = modifier.kind is ModifierKind.OPENER and passage.text[comma : comma + 1] == ","
        first = fold(modifier.text.split()[0])
        misread = first in _SUBORDINATE or bool(verb_tags(first) & {"VBN", "VBG"})
        after = re.match(r", (?:the|a|an|his|her|its|their|many|some|most|other|[A-Z])", passage.text[comma:])
        if opens and misread and after and last.isalpha():
            yield Span(comma, comma + 1)


@operator("ambiguity.respelling")
def respelling(pull: Pull) -> Draft | Declined:
    """Spell a person's last name another way where it comes up again, as sources differ in it."""
    analysis = pull.analysis
    accepted = set(fold(" ".join(analysis.base.answers)).split())
    for passage in analysis.signal:
        for full in (n for n in passage.names if n.kind is NameKind.PERSON and is_full_name(n.text)):
            again = [n for n in passage.names if n.norm == full.last_word and n.span.start > full.span.end]
            other = _respelt(full.text.split()[-1])
            beside = f"{analysis.question.text} {' '.join(s.text for s in passage.answer_sentences)}"
            if other is None or not again or full.last_word in accepted or full.last_word not in fold(beside):
                continue
            text = replace_span(passage.text, again[-1].span, other)
            why = "A name comes up again in a second spelling."
            return Draft(analysis.question.text, {passage.index: text}, reasoning=why)
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


def _respelt(word: str) -> str | None:
    """Return a last name spelt another way; None where it is a common word or has no other spelling."""
    plain = fold(word)
    if plain != word.lower():
        return plain.title()
    if not word.isalpha() or len(word) < 5 or not word.istitle() or is_known(plain):
        return None
    return next((other for old, new in _RESPELT if (other := re.sub(old, new, word, count=1)) != word), None)


@operator("ambiguity.either_or")
def either_or(pull: Pull) -> Draft | Declined:
    """Put 'in 1904 or 1908' where the date stands that answers, in every passage that gives it."""
    analysis = pull.analysis
    rival = find_rival(analysis, pull.rng)
    if rival is None or rival.kind not in DATED or not is_one_time(analysis):
        return Declined(DeclineReason.NO_RIVAL)
    if any(passage in analysis.noise for passage in analysis.answering):
        return Declined(DeclineReason.STRATEGY)
    changed = dict[int, str]()
    for passage in analysis.answering:
        mention = passage.answers[0]
        text = _one_or_other(analysis, mention.text, rival)
        sentence = passage.sentence_at(mention.span)
        chosen = re.search(r"\b(?:or|either|both)\b", sentence.text) is not None
        before = re.search(r"\b(?:[Ii]n|[Oo]n) $", passage.text[: mention.span.start])
        after = re.match(r"[,.]| (?!to |until |through |season |edition )[a-z]", passage.text[mention.span.end :])
        if text is None or chosen or not before or not after or len(passage.answers) > 1:
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "the answer is no year or day that is told once")
        changed[passage.index] = replace_span(passage.text, mention.span, text)
    return Draft(analysis.question.text, changed, reasoning="Two dates are given for what is asked.")


def _one_or_other(analysis: Analysis, written: str, rival: Rival) -> str | None:
    """Return '1904 or 1908' for a year; 'March 6 or 7, 2018' for a day, where no coarser date is accepted."""
    if re.fullmatch(r"\d{4}", written):
        other = rival.value(written)
        return f"{written} or {other}" if other is not None else None
    dates = [d for a in analysis.base.answers for d in find_dates(a)]
    day = re.search(r"\b\d{1,2}\b", written)
    exact = bool(dates) and all(d.precision is DatePrecision.DAY for d in dates)
    if day is None or not exact or not 1 < int(day.group()) < 28:
        return None
    return f"{written[: day.end()]} or {int(day.group()) + 1}{written[day.end() :]}"
