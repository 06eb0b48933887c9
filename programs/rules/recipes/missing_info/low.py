"""LOW: a detail goes that nobody asks for, and the answer stays."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.lexicon import FUNCTION_WORDS, can_be, verb_tags, word_set
from programs.rules.analysis.modifiers import ModifierKind
from programs.rules.analysis.names import NamedMention, NameKind
from programs.rules.analysis.questions import content_words
from programs.rules.analysis.spans import Span
from programs.rules.analysis.tokens import fold, tokenise
from programs.rules.edits.answer_phrases import token_index
from programs.rules.edits.grammar import fix_article_before, tidy_around
from programs.rules.edits.strategy import apply_to_signal_passages
from programs.rules.edits.style import Style
from programs.rules.edits.text import excise, excise_sentence, remove_modifier
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe

_COMPARES = re.compile(
    r"\b(?:older|younger|oldest|youngest|earlier|later|first|more|most|larger|largest|bigger|longer|longest|"
    r"taller|same|both|closer|share|which of|or)\b"
)
_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|such as|including|e\.g\.|among (?:these|them|others)|examples? (?:of|are|is))\b"
    r"|^Other \w+",
    re.IGNORECASE,
)
_NEEDS_PLACE = word_set(
    "located situated based live lives lived lie lies lay stand stands stood is was are were be been held set takes "
    "took place remain remains resides resided found available released filmed shot published held premiered"
)
_TONGUES = re.compile(
    r"(?:ish|ese)$|^(?:latin|greek|french|german|arabic|hebrew|sanskrit|russian|italian)$", re.IGNORECASE
)
_ALIAS = re.compile(
    r"(?P<pair>,) (?:also |formerly |commonly |better |sometimes |often |previously |originally )?"
    r"(?:known|called|referred to|nicknamed|titled|abbreviated)(?: simply| also)?(?: as)? [^,;.()]{2,60}(?:,|(?=\.))"
    r"| \((?:also |formerly |commonly |better |sometimes |often )?(?:known as|called|nicknamed|abbreviated|or|aka|"
    r"a\.k\.a\.)[^()]{2,80}\)"
    r"|, or (?:simply )?[^,;.()]{2,40},"
)
_ATTRIBUTION = re.compile(
    r", (?:according to|as reported by|as noted by|in the words of) [^,.;()\"“”]{3,60}(?=[,.;])(?P<comma>,)?"
)
_SOURCE_FIRST = re.compile(r"(?:According to|As reported by|In the words of) [^,.;()\"“”]{3,70}, (?=\S)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A possible cut: what goes, and the text of the passage without it."""

    removed: str
    text: str


Finder = Callable[[Analysis, PassageAnalysis, random.Random], Iterator[Cut]]


def _compares(analysis: Analysis) -> bool:
    return analysis.answer_type is AnswerType.YES_NO or _COMPARES.search(fold(analysis.question.text)) is not None


def _dispensable(analysis: Analysis, passage: PassageAnalysis, cut: Cut) -> bool:
    """Say whether the answer can still be found without what a cut removes.

    What goes may hold no answer, no word of the question and no name that leads from one signal passage to another;
    a comparison needs all names and figures.
    """
    if analysis.is_answer(cut.removed) or len(cut.text.split()) < 6 or cut.text == passage.text:
        return False
    if content_words(cut.removed) & content_words(analysis.question.text):
        return False
    others = " ".join(fold(p.text) for p in analysis.signal if p.index != passage.index)
    names = [n for n in passage.names if n.text in cut.removed]
    if any(n.norm in others for n in names):
        return False
    inner = re.sub(r"^\W*\w+", "", cut.removed)
    return not (len(analysis.signal) > 1 and _compares(analysis) and re.search(r"\d|[A-Z]", inner))


def cut_in_signal(
    finder: Finder, reasoning: str, analysis: Analysis, style: Style, rng: random.Random
) -> Draft | Declined:
    """Make one cut of the finder's kind in each signal passage that allows one; at least one must."""

    def edit(passage: PassageAnalysis) -> str | None:
        cuts = [c for c in finder(analysis, passage, rng) if _dispensable(analysis, passage, c)]
        if not cuts:
            return None
        cuts.sort(key=lambda c: len(c.removed), reverse=style is Style.ELABORATE)
        return rng.choice(cuts[: (len(cuts) + 1) // 2]).text

    changed = apply_to_signal_passages(analysis, edit, every=False)
    if changed is None:
        return Declined(DeclineReason.NOTHING_PERIPHERAL)
    note = "The sentence that answers still gives an accepted answer; what went is not asked for."
    return Draft(analysis.question.text, changed, reasoning, note)


def _modifier_cuts(*kinds: ModifierKind) -> Finder:
    def find(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
        for modifier in passage.modifiers_of(*kinds):
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))

    return find


@recipe("missing_info.delete_color_adjective")
def delete_color_adjective(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete a colour word that nobody asks for."""
    return cut_in_signal(_modifier_cuts(ModifierKind.COLOUR), "A colour word was deleted.", analysis, style, rng)


def _places(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
    for modifier in passage.modifiers_of(ModifierKind.PLACE_PHRASE):
        named = [n for n in passage.names if n.kind is NameKind.PLACE and modifier.span.covers(n.span)]
        cuts_name = any(modifier.span.overlaps(n.span) and not modifier.span.covers(n.span) for n in passage.names)
        listed = re.match(r",? (?:and|or|to) |, [A-Z]", passage.text[modifier.span.end :])
        if not named or cuts_name or listed or any(_TONGUES.search(n.text) for n in named):
            continue
        at = token_index(passage, modifier.span.start)
        before = passage.tokens[at - 1] if at else None
        if before is None or not before.is_word or before.norm in _NEEDS_PLACE:
            continue
        noun = before.is_capitalised or (
            can_be(before.norm, "NOUN") and not verb_tags(before.norm) & {"VBD", "VBN", "VBZ"}
        )
        if noun:
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))


@recipe("missing_info.remove_city_phrase")
def remove_city_phrase(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete a phrase that names a place nobody asks for."""
    return cut_in_signal(_places, "A phrase naming a place that is not asked for was deleted.", analysis, style, rng)


def _examples(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
    for sentence in analysis.peripheral_sentences(passage):
        names = sum(sentence.span.covers(n.span) for n in passage.names)
        listing = sentence.text.count(",") >= 3 and names >= 4
        if _EXAMPLE.search(sentence.text) or listing:
            yield Cut(sentence.text, excise_sentence(passage.text, sentence))


@recipe("missing_info.drop_example_sentence")
def drop_example_sentence(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete a sentence that only gives examples or lists."""
    return cut_in_signal(_examples, "A sentence that only illustrates or lists was deleted.", analysis, style, rng)


def _listed(passage: PassageAnalysis) -> Iterator[tuple[NamedMention, NamedMention, NamedMention]]:
    """Yield three names in a row that a list holds together: 'A, B and C' or 'A, B, C'."""
    for one, two, three in zip(passage.names, passage.names[1:], passage.names[2:], strict=False):
        first, second = passage.text[one.span.end : two.span.start], passage.text[two.span.end : three.span.start]
        if first == ", " and second in {", ", " and ", ", and "}:
            yield one, two, three


def _actors(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
    for one, two, three in _listed(passage):
        sentence = passage.sentence_at(two.span)
        people = two.kind is NameKind.PERSON and NameKind.PERSON in (one.kind, three.kind)
        if people and "respectively" not in sentence.text:
            text = passage.text[: one.span.end] + passage.text[two.span.end :]
            yield Cut(two.text, text)
    for modifier in passage.modifiers_of(ModifierKind.SIDE_CLAUSE):
        quoted = re.search(r"[\"“”]|\. \.", modifier.span.of(passage.text))
        if re.match(r"(?:along|together) with|alongside", modifier.text) and not quoted:
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))


@recipe("missing_info.secondary_actor_cut")
def secondary_actor_cut(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete somebody who plays a side part from a list of names."""
    return cut_in_signal(_actors, "A person who plays a side part was deleted from a list.", analysis, style, rng)


@recipe("missing_info.parenthetical_excise")
def parenthetical_excise(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete a bracketed aside."""
    return cut_in_signal(
        _modifier_cuts(ModifierKind.PARENTHETICAL), "A bracketed aside was deleted.", analysis, style, rng
    )


def _openers(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
    held = {s.index for s in passage.answer_sentences}
    for modifier in passage.modifiers_of(ModifierKind.OPENER):
        scene = len(modifier.text.split()) >= 3 and modifier.text.split()[0].lower() not in {"for", "as", "according"}
        if scene and modifier.sentence not in held:
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))


@recipe("missing_info.intro_clause_removal")
def intro_clause_removal(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete an introductory phrase in front of a main clause."""
    return cut_in_signal(_openers, "An introductory phrase was deleted.", analysis, style, rng)


def _aliases(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
    for match in _ALIAS.finditer(passage.text):
        names = re.findall(r"[A-Z][\w'’-]+", match.group())
        rest = passage.text[: match.start()] + passage.text[match.end() :]
        if not names or match.group().count('"') % 2 or any(re.search(rf"\b{re.escape(n)}\b", rest) for n in names):
            continue
        following = re.match(r" (\w+)", passage.text[match.end() :])
        word = following[1].lower() if following else ""
        keep = match.group().endswith(",") and ("VBG" in verb_tags(word) or word in {"which", "who", "where", "but"})
        text = passage.text[: match.start()] + ("," if keep else "") + passage.text[match.end() :]
        yield Cut(match.group().strip(" ,()"), tidy_around(text, match.start(), match.start()))


@recipe("missing_info.redundant_synonym_skipped")
def redundant_synonym_skipped(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete a second name that stands beside the usual one."""
    return cut_in_signal(_aliases, "A second name given beside the usual one was deleted.", analysis, style, rng)


def _tails(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
    last = passage.sentences[-1]
    words = [t for t in tokenise(last.text) if t.is_word]
    held = max((a.span.end - last.span.start for a in passage.answers), default=0)
    for at in range(max(4, len(words) // 3), len(words) - 2):
        mid_phrase = words[at].norm not in FUNCTION_WORDS and words[at - 1].text.isalpha()
        flowing = last.text[words[at - 1].end : words[at].start] == " "
        if mid_phrase and flowing and words[at - 1].end > held:
            end = last.span.start + words[at - 1].end
            yield Cut(passage.text[end:].strip(), passage.text[:end])


@recipe("missing_info.chunk_tail_cut_off")
def chunk_tail_cut_off(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the last sentence break off in the middle of a phrase."""
    return cut_in_signal(_tails, "The last sentence breaks off, as in a chunk of fixed length.", analysis, style, rng)


def _attributions(analysis: Analysis, passage: PassageAnalysis, rng: random.Random) -> Iterator[Cut]:
    for sentence in passage.sentences:
        match = _SOURCE_FIRST.match(sentence.text)
        following = re.match(r"\w+", sentence.text[match.end() :]) if match else None
        if match and following and not verb_tags(following.group().lower()) & {"VBN", "VBG"}:
            span = Span(sentence.span.start, sentence.span.start + match.end())
            yield Cut(match.group(), excise(passage.text, span))
    for match in _ATTRIBUTION.finditer(passage.text):
        text = passage.text[: match.start()] + passage.text[match.end() :]
        yield Cut(match.group().strip(" ,"), fix_article_before(text, match.start()))


@recipe("missing_info.source_attribution_lost")
def source_attribution_lost(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete the words that say who reports something."""
    return cut_in_signal(_attributions, "The words that name a source were deleted.", analysis, style, rng)
