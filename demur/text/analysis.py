"""The analysis of a base instance, which recipes and checks share."""

from dataclasses import dataclass
from functools import lru_cache

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import ENGLISH
from demur.text.answers import AnswerMention, AnswerType, MentionKind, answer_type, answer_type_in, find_answers
from demur.text.dates import DateMention, find_dates
from demur.text.lexicon import FUNCTION_WORDS, word_set
from demur.text.modifiers import Modifier, ModifierKind, find_modifiers
from demur.text.names import NamedMention, NameKind, find_names
from demur.text.quantities import Number, find_numbers
from demur.text.questions import Question, content_words, read_question
from demur.text.spans import Sentence, Span
from demur.text.support import TextPart, supports
from demur.text.tokens import Token, fold, sentences, tokenise

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
