"""HIGH: nothing that bears on the question is left, only other texts, page furniture, catalogue entries or blanks."""

import random

from demur.programs.rules.edits.answer_phrases import answer_phrases
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.edits.text import redact
from demur.programs.rules.recipes.missing_info.off_topic import OFF_TOPIC
from demur.programs.rules.recipes.missing_info.titles import passage_title
from demur.programs.rules.recipes.missing_info.wording import asked_type
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.quantities import find_numbers
from demur.programs.text.questions import content_words
from demur.programs.text.spans import Span

_FURNITURE = (
    "Skip to content.", "Home, News, Topics, About us.", "This site uses cookies to remember your choices.",
    "Accept all, or choose which to allow.", "Share this page.", "Sign in to read the full text.", "Print this page.",
    "You have read all your free pages for this month.", "Subscribe now, or log in to continue.", "Related pages.",
    "Most read this week.", "Contact, imprint, privacy.", "Follow us for updates.", "Back to top.",
    "Loading, please wait.", "Enter your address to receive our newsletter.", "Change language.",
    "Report a problem with this page.",
)  # fmt: skip
_ENTRY = (
    "Article, one page.", "Filed under general reference.", "The full text is not part of this collection.",
    "No abstract available.", "Available for reading on site by appointment.", "Language: English.",
    "Catalogued from the table of contents.", "Scan not yet processed.", "Shelf mark pending.", "With references.",
    "Lending copy out.", "Rights: see the holding library.", "Keywords not assigned.", "Size of the file: unknown.",
)  # fmt: skip
_NAMED = (AnswerType.PERSON, AnswerType.PLACE, AnswerType.ORGANISATION, AnswerType.TITLE, AnswerType.LIST)
_GONE = "Nothing that bears on the question is left in any passage."


def _bearing(analysis: Analysis) -> tuple[PassageAnalysis, ...]:
    """Return the passages that have to go: all signal ones, and noise that gives the answer."""
    return tuple(p for p in analysis.passages if p.relevant or p.gives_answer)


def _replaced(analysis: Analysis, texts: dict[int, str], reasoning: str) -> Draft | Declined:
    if any(analysis.is_answer(t) for t in texts.values()):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN)
    return Draft(analysis.question.text, texts, reasoning, _GONE)


@recipe("missing_info.entirely_irrelevant_context")
def entirely_irrelevant_context(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put texts on other subjects in the place of every passage that bears on the question."""
    spoken = content_words(analysis.question.text).union(*(content_words(a) for a in analysis.base.answers))
    usable = [s for s, lines in OFF_TOPIC.items() if not any(content_words(line) & spoken for line in (s, *lines))]
    bearing = _bearing(analysis)
    if len(usable) < len(bearing):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "too few texts share no word with the question")
    texts: dict[int, str] = {}
    for passage, subject in zip(bearing, rng.sample(usable, len(bearing)), strict=True):
        lines = OFF_TOPIC[subject]
        wanted = round(len(passage.text.split()) / 15)
        size = min(len(lines), max(2, wanted if style is Style.ELABORATE else wanted - 1))
        chosen = sorted(rng.sample(range(1, len(lines)), size - 1))
        texts[passage.index] = " ".join([lines[0], *(lines[i] for i in chosen)])
    return _replaced(
        analysis, texts, "Texts on other subjects stand in the place of every passage that bears on the question."
    )


def _fragments(analysis: Analysis, pool: tuple[str, ...], rng: random.Random, base_size: int) -> dict[int, str]:
    """Return for each bearing passage its title and some fragments, more of them where it was long."""
    texts = {}
    for passage in _bearing(analysis):
        size = min(len(pool), max(base_size, len(passage.text.split()) // 22))
        chosen = rng.sample(pool, size)
        texts[passage.index] = " ".join([f"{passage_title(analysis, passage)}.", *chosen])
    return texts


@recipe("missing_info.page_furniture_only")
def page_furniture_only(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Leave only what surrounds an article on a web page."""
    texts = _fragments(analysis, _FURNITURE, rng, int(phrase(style, "5", "8")))
    return _replaced(
        analysis, texts, "Only the furniture of a web page is left of every passage that bears on the question."
    )


@recipe("missing_info.title_only_hit")
def title_only_hit(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Leave only a catalogue entry for each text."""
    texts = _fragments(analysis, _ENTRY, rng, int(phrase(style, "4", "6")))
    return _replaced(analysis, texts, "Only a catalogue entry is left of every passage that bears on the question.")


@recipe("missing_info.all_names_redacted")
def all_names_redacted(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put one uniform mark in the place of every proper name."""
    if asked_type(analysis) not in _NAMED:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is not a name")
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    mark = rng.choice(phrase(style, "[redacted]|[removed]", "[name withheld]|[name removed]").split("|"))
    texts = {p.index: _blanked(p, mark) for p in _bearing(analysis)}
    if any(t == p.text for p in analysis.passages for i, t in texts.items() if i == p.index):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "a passage holds no name")
    return _replaced(analysis, texts, "Every proper name gave way to the same mark.")


def _blanked(passage: PassageAnalysis, mark: str) -> str:
    spans: list[Span] = []
    named = (n.span for n in passage.names if " " in n.text or not find_numbers(n.text))
    for span in sorted([*named, *(p.span for p in answer_phrases(passage))]):
        if spans and span.start < spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(spans[-1].end, span.end))
        else:
            spans.append(span)
    return redact(passage.text, spans, mark)
