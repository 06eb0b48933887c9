"""The analysis of a base instance, its question and its sentences, which recipes and checks share."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import ENGLISH
from demur.text.answers import AnswerMention, AnswerType, MentionKind, answer_type, answer_type_in, find_answers
from demur.text.dates_and_numbers import DateMention, Number, find_dates, find_numbers
from demur.text.language_detection import TextPart, supports
from demur.text.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    can_be,
    lemma_of,
    verb_tags,
    word_set,
)
from demur.text.names import NamedMention, NameKind, find_names
from demur.text.tokens import Sentence, Span, Token, fold, sentences, tokenise

# Analysis of a question: question word, focus, auxiliary and verb.


class WhWord(StrEnum):
    """The word or pair of words with which a question asks."""

    WHO = "who"
    WHOSE = "whose"
    WHAT = "what"
    WHICH = "which"
    WHEN = "when"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    HOW_MANY = "how many"
    HOW_MUCH = "how much"
    HOW_LONG = "how long"
    HOW_OLD = "how old"
    YES_NO = "yes or no"
    NONE = "none"


_HOW = {"many": WhWord.HOW_MANY, "much": WhWord.HOW_MUCH, "long": WhWord.HOW_LONG, "old": WhWord.HOW_OLD}
_SIMPLE = {w.value: w for w in WhWord if " " not in w.value} | {"whom": WhWord.WHO, "who's": WhWord.WHO}
_FOCUS_STOP = AUXILIARIES | word_set("and or that who which whom where when")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its grammatical parts.

    `fronted` is true if the question begins with the question word, or with one preposition and the question word.
    `focus` is the noun phrase after what, which or how many ('year', 'seasons of the rugrats'). `auxiliary` is the
    auxiliary verb after the focus, or None if the question has no auxiliary there. `verb` is the first verb that is not
    an auxiliary, as written.
    """

    text: str
    tokens: tuple[Token, ...]
    wh: WhWord
    fronted: bool
    focus: str | None
    auxiliary: str | None
    verb: str | None
    lower_case: bool
    has_mark: bool

    @property
    def bare(self) -> str:
        """The question without its question mark."""
        return self.text.rstrip(" ?")

    @property
    def is_well_formed(self) -> bool:
        """True if the question begins with a question word or an auxiliary, and has a verb."""
        return self.fronted and (self.verb is not None or self.auxiliary is not None)


def _wh_at(tokens: tuple[Token, ...], position: int) -> tuple[WhWord, int] | None:
    """Return the question word at `position` and the position after it."""
    word = tokens[position].norm
    if word == "how":
        following = tokens[position + 1].norm if position + 1 < len(tokens) else ""
        pair = _HOW.get(following)
        return (pair, position + 2) if pair else (WhWord.HOW, position + 1)
    if word in _SIMPLE:
        return _SIMPLE[word], position + 1
    return None


def _find_wh(tokens: tuple[Token, ...]) -> tuple[WhWord, int, int] | None:
    for position in (0, 1):
        if position < len(tokens) and (found := _wh_at(tokens, position)):
            return found[0], position, found[1]
    for position in range(len(tokens) - 1, 1, -1):
        found = _wh_at(tokens, position)
        if found and found[0] in (WhWord.WHO, WhWord.WHAT, WhWord.WHICH, WhWord.WHERE, WhWord.WHEN, WhWord.HOW_MANY):
            return found[0], position, found[1]
    return None


def _first_verb(tokens: tuple[Token, ...], start: int, after_auxiliary: str | None) -> int | None:
    """Return the position of the first full verb from `start`. Full verbs are recognised by their form.

    Words that are probably nouns or names are skipped.
    """
    participle = after_auxiliary in {"is", "are", "was", "were", "be", "been", "has", "have", "had"}
    wanted = {"VBN", "VBG"} if participle else {"VB"} if after_auxiliary else {"VBD", "VBZ", "VB"}
    for position in range(start, len(tokens)):
        token = tokens[position]
        tags = verb_tags(token.norm)
        if not tags & wanted or token.norm in AUXILIARIES or (token.is_capitalised and position > 0):
            continue
        before = tokens[position - 1].norm if position else ""
        if (
            before in DETERMINERS
            or before in {"of", "in", "at", "for"}
            or (after_auxiliary and position == start and can_be(token.norm, "NOUN"))
        ):
            continue
        return position
    return None


@lru_cache(maxsize=2048)
def read_question(text: str) -> Question:
    """Analyse a question. The text may be in lower case and without a question mark, as in the data set NQ."""
    tokens = tokenise(text)
    bare_tokens = tuple(t for t in tokens if t.is_word)
    lower = not any(c.isupper() for c in text)
    mark = text.rstrip().endswith("?")
    found = _find_wh(bare_tokens)
    opens = bare_tokens[0].norm if bare_tokens else ""
    if opens in AUXILIARIES:
        verb_at = _first_verb(bare_tokens, 1, opens)
        verb = bare_tokens[verb_at].text if verb_at else None
        return Question(text, tokens, WhWord.YES_NO, True, None, opens, verb, lower, mark)
    if found is None:
        return Question(text, tokens, WhWord.NONE, False, None, None, None, lower, mark)
    wh, at, position = found
    focus_end = position
    if wh in (WhWord.WHAT, WhWord.WHICH, WhWord.WHOSE, WhWord.HOW_MANY, WhWord.HOW_MUCH):
        while focus_end < len(bare_tokens) and not _ends_focus(bare_tokens, focus_end, position):
            focus_end += 1
    focus = text[bare_tokens[position].start : bare_tokens[focus_end - 1].end] if focus_end > position else None
    has_auxiliary = focus_end < len(bare_tokens) and bare_tokens[focus_end].norm in AUXILIARIES
    auxiliary = bare_tokens[focus_end].norm if has_auxiliary else None
    body_start = focus_end + 1 if has_auxiliary else focus_end
    verb_at = _first_verb(bare_tokens, body_start, auxiliary)
    fronted = at == 0 or at == 1 and bare_tokens[0].norm in FUNCTION_WORDS
    verb = bare_tokens[verb_at].text if verb_at is not None else None
    return Question(text, tokens, wh, fronted, focus, auxiliary, verb, lower, mark)


def _ends_focus(tokens: tuple[Token, ...], position: int, start: int) -> bool:
    word = tokens[position].norm
    if word in _FOCUS_STOP:
        return True
    if position == start or tokens[position].is_capitalised:
        return False
    tags = verb_tags(word)
    return bool(tags & {"VBD", "VBZ"}) and tokens[position - 1].norm not in DETERMINERS | {"of"}


_CONTENT_DROP = FUNCTION_WORDS | word_set("many much year name kind type")


@lru_cache(maxsize=2048)
def content_words(text: str) -> frozenset[str]:
    """Return the words of `text` that carry meaning, in their dictionary form ('plays' and 'played' are 'play')."""
    norms = (t.norm for t in tokenise(text) if t.is_word)
    return frozenset(lemma_of(n) for n in norms if n not in _CONTENT_DROP and len(n) > 1)


# Removable parts of a sentence: text in parentheses and introductory phrases.
#
# A part is listed only if the sentence without this part is certainly still a sentence.


class ModifierKind(StrEnum):
    """Kinds of removable parts of a sentence."""

    PARENTHETICAL = "parenthetical"
    OPENER = "opener"


@dataclass(frozen=True, slots=True)
class Modifier:
    """A removable part of a sentence. `span` is the part to delete, including white space and commas."""

    span: Span
    text: str
    kind: ModifierKind
    sentence: int


_PARENTHETICAL = re.compile(r" ?\((?P<inner>[^()]{2,200})\)(?=[\s,.;:]|$)")
_SUBORDINATE = word_set("when while although though because since if as before after until")
_OPENER = re.compile(r"^(?P<lead>[A-Z][^,;:()\"“”]{2,90}), (?P<rest>\S.*)$", re.DOTALL)
_PRONOUN_SUBJECTS = frozenset({"he", "she", "it", "they", "we", "i", "you"})


def _openers(sentence: Sentence) -> Iterator[Modifier]:
    """Yield the introductory phrase before the first comma if a whole clause follows."""
    match = _OPENER.match(sentence.text)
    if not match:
        return
    lead = [t.norm for t in tokenise(match["lead"]) if t.is_word]
    rest = [t for t in tokenise(match["rest"]) if t.is_word]
    first = lead[0]
    subordinate = first in {"when", "while", "although", "though", "because"}
    opens = first in PREPOSITIONS or subordinate or first == "originally"
    participle = "VBN" in verb_tags(first) and not can_be(first, "ADJ")
    inner_clause = not subordinate and any(w in AUXILIARIES or w in _PRONOUN_SUBJECTS for w in lead)
    if not (opens or participle) or inner_clause or not _is_clause(match["rest"]):
        return
    if rest[0].norm[0].isdigit() or (
        can_be(lead[-1], "ADJ") and not can_be(lead[-1], "NOUN") and rest[0].text.islower()
    ):
        return
    end = sentence.span.start + match.start("rest")
    yield Modifier(Span(sentence.span.start, end), match["lead"], ModifierKind.OPENER, sentence.index)


def _is_clause(text: str) -> bool:
    """Return whether a text starts with a subject and has a finite verb before its first comma."""
    head = [t for t in tokenise(text.split(",")[0]) if t.is_word]
    if not head or head[0].norm in _SUBORDINATE | {"and", "or", "but", "which", "who", "where", "whose"} | PREPOSITIONS:
        return False
    starts = head[0].norm in DETERMINERS | _PRONOUN_SUBJECTS | {"there", "some"} or head[0].is_capitalised
    return starts and any(
        t.norm in AUXILIARIES - {"be", "been", "being"} or verb_tags(t.norm) & {"VBD", "VBZ"} for t in head[1:]
    )


@lru_cache(maxsize=2048)
def find_modifiers(text: str) -> tuple[Modifier, ...]:
    """Return the removable parts of `text` in order. Parts may overlap, so only one part may be removed at a time."""
    found: list[Modifier] = []
    for sentence in sentences(text):
        for match in _PARENTHETICAL.finditer(sentence.text):
            span = Span(sentence.span.start + match.start(), sentence.span.start + match.end())
            found.append(Modifier(span, match["inner"].strip(), ModifierKind.PARENTHETICAL, sentence.index))
        found += _openers(sentence)
    return tuple(sorted(found, key=lambda m: m.span))


# The analysis of a base instance, which recipes and checks share.


_LEANS_BACK = word_set(
    "he she it they this that these those his her its their such however also additionally furthermore moreover "
    "but and so then thus therefore instead later afterwards there here both neither another the"
)


@dataclass(frozen=True, slots=True)
class PassageAnalysis:
    """One passage with its analysis. All spans are spans of `text`.

    Tokens, names and other parts are computed on first use and cached, since most noise passages are never needed.
    """

    index: int
    text: str
    relevant: bool
    answers: tuple[AnswerMention, ...]
    language: str = ENGLISH

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, punctuation included."""
        return tokenise(self.text)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences, numbered from 0."""
        return sentences(self.text, self.language)

    @property
    def names(self) -> tuple[NamedMention, ...]:
        """The named mentions."""
        return find_names(self.text)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers, including years and numbers in dates."""
        return find_numbers(self.text)

    @property
    def dates(self) -> tuple[DateMention, ...]:
        """The dates."""
        return find_dates(self.text)

    @property
    def modifiers(self) -> tuple[Modifier, ...]:
        """The parts that can be taken out."""
        return find_modifiers(self.text)

    def sentence_at(self, span: Span) -> Sentence:
        """Return the sentence in which `span` begins."""
        for sentence in self.sentences:
            if span.start < sentence.span.end:
                return sentence
        return self.sentences[-1]

    @property
    def answer_sentences(self) -> tuple[Sentence, ...]:
        """The sentences that contain an accepted answer, in order."""
        wanted = {self.sentence_at(m.span).index for m in self.answers}
        return tuple(s for s in self.sentences if s.index in wanted)

    @property
    def gives_answer(self) -> bool:
        """True if the passage contains an accepted answer or a trivial paraphrase of one."""
        return bool(self.answers)

    def modifiers_of(self, *kinds: ModifierKind) -> tuple[Modifier, ...]:
        """Return the removable parts of `kinds` that contain no accepted answer."""
        return tuple(
            m for m in self.modifiers if m.kind in kinds and not any(m.span.overlaps(a.span) for a in self.answers)
        )


@dataclass(frozen=True, slots=True)
class Analysis:
    """A base instance with the analysis of its question, answers and passages.

    `topic` is the kind of the name that the question is about, None if the question has no name.
    """

    base: BaseInstance
    question: Question
    answer: str
    answer_type: AnswerType
    topic: NameKind | None
    passages: tuple[PassageAnalysis, ...]

    @property
    def signal(self) -> tuple[PassageAnalysis, ...]:
        """The passages that bear on the answer, in order."""
        return tuple(p for p in self.passages if p.relevant)

    @property
    def noise(self) -> tuple[PassageAnalysis, ...]:
        """The passages that do not bear on the answer, in order."""
        return tuple(p for p in self.passages if not p.relevant)

    @property
    def years(self) -> tuple[int, ...]:
        """The years in the signal passages, earliest first."""
        return tuple(sorted({d.year for p in self.signal for d in p.dates if d.year}))

    @property
    def answering(self) -> tuple[PassageAnalysis, ...]:
        """All passages that contain an accepted answer, including noise passages."""
        return tuple(p for p in self.passages if p.gives_answer)

    @property
    def main(self) -> PassageAnalysis:
        """The first signal passage with the answer, else the first signal passage, else the first passage."""
        return next((p for p in self.signal if p.gives_answer), (self.signal or self.passages)[0])

    @property
    def answer_sentence(self) -> Sentence | None:
        """Of the main passage's sentences with an answer, the sentence that shares the most words with the question."""
        asked = content_words(self.question.text)
        candidates = self.main.answer_sentences
        return max(candidates, key=lambda s: (len(asked & content_words(s.text)), -s.index), default=None)

    def is_answer(self, text: str) -> bool:
        """Return whether `text` contains an accepted answer or a trivial paraphrase of one."""
        return bool(find_answers(text, self.base.answers, self.base.language))

    def peripheral_sentences(self, passage: PassageAnalysis) -> tuple[Sentence, ...]:
        """Return the sentences of `passage` that can be removed without touching the answer.

        Such a sentence contains no answer and is not the first sentence of the passage. The next sentence does not
        begin with a word that refers back. The sentences least related to the question come first.
        """
        held = {s.index for s in passage.answer_sentences}
        asked = content_words(self.question.text)
        found = []
        for sentence in passage.sentences[1:]:
            following = passage.sentences[sentence.index + 1 : sentence.index + 2]
            leant_on = any(leans_back(s.text) for s in following)
            if sentence.index not in held and not leant_on:
                found.append(sentence)
        return tuple(sorted(found, key=lambda s: (len(asked & content_words(s.text)), s.index)))


def leans_back(sentence: str) -> bool:
    """Return whether a sentence opens with a word that refers to the sentence before."""
    first = next((t for t in tokenise(sentence) if t.is_word), None)
    return first is not None and first.norm in _LEANS_BACK


def analyse_passage(
    index: int, text: str, relevant: bool, answers: tuple[str, ...], language: str = ENGLISH
) -> PassageAnalysis:
    """Analyse one passage on its own."""
    return PassageAnalysis(index, text, relevant, find_answers(text, answers, language), language)


def _find_topic(question: Question, passages: tuple[PassageAnalysis, ...], answers: tuple[str, ...]) -> NameKind | None:
    """Return the kind of the topic in the signal passages. Only if there is none, look in the noise passages."""
    signal = tuple(p for p in passages if p.relevant)
    noise = tuple(p for p in passages if not p.relevant)
    return _best_topic(question, signal, answers) or _best_topic(question, noise, answers)


def _best_topic(question: Question, passages: tuple[PassageAnalysis, ...], answers: tuple[str, ...]) -> NameKind | None:
    asked = tuple(t for t in question.tokens if t.is_word)
    norms = [t.norm for t in asked]
    best: tuple[tuple[int, int, int], NameKind] | None = None
    accepted = {fold(a) for a in answers}
    for passage in passages:
        for name in passage.names:
            wanted = name.norm.split()
            at = _subsequence(norms, wanted)
            weak = len(wanted) == 1 and (wanted[0] in FUNCTION_WORDS or len(wanted[0]) < 3)
            if at is None or weak or fold(name.text) in accepted:
                continue
            cased = question.lower_case or asked[at].text[:1].isupper()
            rank = (int(cased), len(wanted), -passage.index)
            if best is None or rank > best[0]:
                best = (rank, name.kind)
    return best[1] if best else None


def _subsequence(norms: list[str], wanted: list[str]) -> int | None:
    size = len(wanted)
    return next((i for i in range(len(norms) - size + 1) if size and norms[i : i + size] == wanted), None)


def _chosen_answer(base: BaseInstance, passages: tuple[PassageAnalysis, ...]) -> str:
    verbatim = {m.answer for p in passages if p.relevant for m in p.answers if m.kind is MentionKind.VERBATIM}
    return next((a for a in base.answers if a in verbatim), base.answers[0])


@lru_cache(maxsize=256)
def analyse(base: BaseInstance) -> Analysis:
    """Analyse a base instance.

    The last 256 analyses are cached, so all strata of a base instance use the same analysis. If code cannot read the
    words of the base instance's language, the analysis has no topic.
    """
    question = read_question(base.question)
    passages = tuple(analyse_passage(p.index, p.text, p.relevant, base.answers, base.language) for p in base.passages)
    answer = _chosen_answer(base, passages)
    if not supports(base.language, TextPart.WORDS):
        return Analysis(base, question, answer, answer_type_in(base.language, answer), None, passages)
    topic = _find_topic(question, passages, base.answers)
    kind = answer_type(answer, base.question, _named_as(answer, passages))
    return Analysis(base, question, answer, kind, topic, passages)


def _named_as(answer: str, passages: tuple[PassageAnalysis, ...]) -> NameKind | None:
    """Return the most frequent kind of the names in signal passages that are the answer; None if no kind is known."""
    kinds = [
        n.kind
        for p in passages
        if p.relevant and answer in p.text
        for n in p.names
        if n.text == answer and n.kind is not NameKind.OTHER
    ]
    return max(kinds, key=kinds.count, default=None)
