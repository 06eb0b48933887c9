"""Where the phrase for a subject begins and ends among the words of the question."""

from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.subjects.candidates import Candidate
from demur.programs.rules.subjects.kinds import WORKS, SubjectKind
from demur.programs.rules.subjects.kinds_told import noun_kind
from demur.programs.text.lexicon import AUXILIARIES, DETERMINERS, FUNCTION_WORDS, can_be, is_known, verb_tags
from demur.programs.text.questions import Question
from demur.programs.text.tokens import Token


def left_edge(asked: list[Token], first: int, single: bool, lower_case: bool) -> int:
    """Return where the noun phrase that ends in the candidate begins: its article with the adjectives between.

    A single word of a lower-case question takes the words of its name before it in even without an article.
    """
    at = first
    while at > 0 and first - at < 3:
        before = asked[at - 1].norm
        if before in {"the", "a", "an"}:
            return at - 1
        plain = not is_known(before) or (
            before not in FUNCTION_WORDS
            and (can_be(before, "ADJ") or can_be(before, "NOUN"))
            and not (verb_tags(before) & {"VBD", "VBZ"})
        )
        if not plain:
            break
        at -= 1
    if single and lower_case and at < first and (at == 0 or asked[at - 1].norm in FUNCTION_WORDS | AUXILIARIES):
        return at
    return first


_STOP_TAGS = {"do": "VB", "does": "VB", "did": "VB", "is": "VBN", "are": "VBN", "was": "VBN", "were": "VBN"}
_ADVERBS = frozenset("first last once originally now then just home today best".split())


def right_edge(asked: list[Token], first: int, last: int, known: bool, question: Question) -> int:
    """Take in nouns that belong to the phrase ('the royal rumble match') and an 'of ...' ('the statue of liberty')."""
    stop = {_STOP_TAGS.get(question.auxiliary or "", "VBD"), "VBD", "VBZ"}
    while last + 1 < len(asked) and last - first <= 5:
        following = asked[last + 1].norm
        hyphened = question.text[asked[last].end : asked[last + 1].start] == "-"
        then = asked[last + 2].norm if last + 2 < len(asked) else ""
        acts = bool(verb_tags(following) & stop) and not verb_tags(then) & {"VBD", "VBZ"}
        noun = can_be(following, "NOUN") and not acts and following not in FUNCTION_WORDS | _ADVERBS
        opened = asked[first].norm in {"the", "a", "an"} and not asked[last].text.endswith(("'s", "’s"))
        if not hyphened and not (noun and opened and (not known or noun_kind(following) is not None)):
            break
        last += 1
    if not known and last + 2 < len(asked) and asked[last + 1].norm == "of":
        end = last + 2
        if asked[end].norm in DETERMINERS and end + 1 < len(asked):
            end += 1
        while (
            end + 1 < len(asked)
            and asked[end + 1].norm not in FUNCTION_WORDS
            and not (verb_tags(asked[end + 1].norm) - {"VBG"})
        ):
            end += 1
        if asked[end].norm not in FUNCTION_WORDS and (end > last + 2 or not asked[end].norm.isdigit()):
            return end
    return last


def whole_name(asked: list[Token], chosen: Candidate, text: str) -> Candidate:
    """Return the candidate with the capitalised words that stand right beside it: 'Flute' to 'Sonata in C major'."""
    first, last = chosen.first, chosen.last
    if not asked[first].is_capitalised:
        return chosen

    def joined(left: int) -> bool:
        return text[asked[left].end : asked[left + 1].start] == " "

    while first > 1 and asked[first - 1].is_capitalised and joined(first - 1) and asked[first - 1].norm != "the":
        first -= 1
    while last + 1 < len(asked) and asked[last].is_capitalised and asked[last + 1].is_capitalised and joined(last):
        last += 1
    if (first, last) == (chosen.first, chosen.last) or last - first > 8:
        return chosen
    return Candidate(first, last, text[asked[first].start : asked[last].end], chosen.score)


_HELD = frozenset("bowl cup league series championship championships olympics derby trophy tournament".split())


def wants_article(norms: list[str], cut: int, kind: SubjectKind) -> bool:
    """Say whether a phrase without an article needs one: 'journal of physics', 'super bowl'."""
    if kind in WORKS or kind in (SubjectKind.PERSON, SubjectKind.CHARACTER):
        return False
    if 0 < cut < len(norms) and norms[cut] == "of":
        head = norms[cut - 1]
        return is_known(head) and can_be(head, "NOUN") and not is_plural(head)
    return kind is SubjectKind.CONTEST and len(norms) > 1 and norms[-1] in _HELD
