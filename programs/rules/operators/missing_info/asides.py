"""LOW: an aside, an opening, a second name, a source or the end of the last sentence goes; the answer stays."""

import re
from collections.abc import Iterator

from demur.programs.rules.edits.grammar import fix_article_before, tidy_around
from demur.programs.rules.edits.text import excise, remove_modifier
from demur.programs.rules.operators.missing_info.cutting import Cut, cut_in_signal, modifier_cuts
from demur.programs.rules.operators.registry import Declined, Draft, Pull, operator
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.lexicon import FUNCTION_WORDS, verb_tags
from demur.programs.text.modifiers import ModifierKind
from demur.programs.text.spans import Span
from demur.programs.text.tokens import tokenise

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


@operator("missing_info.parenthetical_excise", last=True)
def parenthetical_excise(pull: Pull) -> Draft | Declined:
    """Delete a bracketed aside."""
    return cut_in_signal(modifier_cuts(ModifierKind.PARENTHETICAL), "A bracketed aside was deleted.", pull)


def _openers(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    held = {s.index for s in passage.answer_sentences}
    for modifier in passage.modifiers_of(ModifierKind.OPENER):
        scene = len(modifier.text.split()) >= 3 and modifier.text.split()[0].lower() not in {"for", "as", "according"}
        if scene and modifier.sentence not in held:
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))


@operator("missing_info.intro_clause_removal")
def intro_clause_removal(pull: Pull) -> Draft | Declined:
    """Delete an introductory phrase in front of a main clause."""
    return cut_in_signal(_openers, "An introductory phrase was deleted.", pull)


def _aliases(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
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


@operator("missing_info.redundant_synonym_skipped")
def redundant_synonym_skipped(pull: Pull) -> Draft | Declined:
    """Delete a second name that stands beside the usual one."""
    return cut_in_signal(_aliases, "A second name given beside the usual one was deleted.", pull)


def _tails(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    last = passage.sentences[-1]
    words = [t for t in tokenise(last.text) if t.is_word]
    held = max((a.span.end - last.span.start for a in passage.answers), default=0)
    for at in range(max(4, len(words) // 3), len(words) - 2):
        mid_phrase = words[at].norm not in FUNCTION_WORDS and words[at - 1].text.isalpha()
        flowing = last.text[words[at - 1].end : words[at].start] == " "
        if mid_phrase and flowing and words[at - 1].end > held:
            end = last.span.start + words[at - 1].end
            yield Cut(passage.text[end:].strip(), passage.text[:end])


@operator("missing_info.chunk_tail_cut_off", last=True)
def chunk_tail_cut_off(pull: Pull) -> Draft | Declined:
    """Let the last sentence break off in the middle of a phrase."""
    return cut_in_signal(_tails, "The last sentence breaks off, as in a chunk of fixed length.", pull)


def _attributions(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for sentence in passage.sentences:
        match = _SOURCE_FIRST.match(sentence.text)
        following = re.match(r"\w+", sentence.text[match.end() :]) if match else None
        if match and following and not verb_tags(following.group().lower()) & {"VBN", "VBG"}:
            span = Span(sentence.span.start, sentence.span.start + match.end())
            yield Cut(match.group(), excise(passage.text, span))
    for match in _ATTRIBUTION.finditer(passage.text):
        text = passage.text[: match.start()] + passage.text[match.end() :]
        yield Cut(match.group().strip(" ,"), fix_article_before(text, match.start()))


@operator("missing_info.source_attribution_lost")
def source_attribution_lost(pull: Pull) -> Draft | Declined:
    """Delete the words that say who reports something."""
    return cut_in_signal(_attributions, "The words that name a source were deleted.", pull)
