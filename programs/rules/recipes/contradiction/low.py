"""LOW: the passages disagree about a figure, a date, an adjective or a consequence that nobody asks for."""

import random
import re

from demur.programs.rules.edits.clauses import mid_sentence
from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.edits.pools import shift_date_text, shift_number
from demur.programs.rules.edits.remarks import spoken_of
from demur.programs.rules.edits.style import Style, phrase, pick
from demur.programs.rules.edits.text import replace_span
from demur.programs.rules.recipes.contradiction.conflict import in_noise, written
from demur.programs.rules.recipes.contradiction.low_words import OPPOSITES
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.find import find_subject
from demur.programs.rules.subjects.phrases import passage_subject
from demur.programs.text.analysis import Analysis, PassageAnalysis, leans_back
from demur.programs.text.lexicon import can_be, is_known
from demur.programs.text.quantities import Number, NumberKind, written_like
from demur.programs.text.spans import Sentence
from demur.programs.text.tokens import fold

_NOTE = "The answer stands as before; only something that is not asked for is contradicted."


def _subject(analysis: Analysis, passage: PassageAnalysis) -> str | None:
    """Return the name by which the passage can be spoken of from elsewhere."""
    own = passage_subject(passage)
    if own is not None and not analysis.is_answer(own):
        return own
    if (
        analysis.topic is not None
        and analysis.topic.name in passage.text
        and not analysis.is_answer(analysis.topic.name)
    ):
        return analysis.topic.name
    first = passage.sentences[0]
    names = [n for n in passage.names if first.span.covers(n.span) and not analysis.is_answer(n.text)]
    opening = [n for n in names if n.span.start - first.span.start <= len("The ")]
    chosen = max(opening or names, key=lambda n: len(n.text), default=None)
    return chosen.text if chosen is not None and len(chosen.text) > 3 else None


def _figures(analysis: Analysis, *, least: float) -> list[tuple[PassageAnalysis, Number]]:
    """Return figures of the signal passages that are no dates, stand in no answer and are not in the question."""
    asked = analysis.question.text
    found = []
    for passage in analysis.signal:
        taken = [d.span for d in passage.dates] + [a.span for a in passage.answers]
        for number in passage.numbers:
            free = not any(t.overlaps(number.whole) for t in taken) and number.text not in asked
            kind = number.kind in (NumberKind.CARDINAL, NumberKind.MONEY, NumberKind.MEASURE)
            counted = number.unit is not None and number.unit not in {"century", "centuries", "st"}
            if free and kind and counted and number.value >= least and not number.in_words:
                found.append((passage, number))
    return found


def _rounded(number: Number, digits: int) -> str | None:
    whole = int(number.value)
    step = 10 ** max(0, len(str(whole)) - digits)
    value = float(round(number.value / step) * step)
    if value == number.value or abs(value - number.value) > 0.05 * number.value:
        return None
    return re.sub(r"\.0+(?=\D|$)", "", written_like(value, number))


def _tells_of(subject: str | None, passage: PassageAnalysis, number: Number) -> bool:
    """Say whether a figure's own sentence names the subject, so that it can be spoken of elsewhere as the subject's."""
    return subject is not None and fold(subject) in fold(passage.sentence_at(number.span).text)


@recipe("contradiction.minor_numeric_rounding")
def minor_numeric_rounding(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """State a figure that is not asked for once more, rounded."""
    options = [(p, n, r) for p, n in _figures(analysis, least=100) if (r := _rounded(n, 2))]
    options = [o for o in options if not in_noise(analysis) or _subject(analysis, o[0])]
    if not options:
        return Declined(DeclineReason.NOTHING_PERIPHERAL, "no figure beside the answer can be rounded")
    passage, number, rounded = rng.choice(options)
    whole = number.whole.of(passage.text)
    near = whole.replace(number.text, rounded, 1)
    where = (
        f"a digest that covers {_subject(analysis, passage)}"
        if in_noise(analysis)
        else "a shorter summary of these facts"
    )
    said = phrase(
        style,
        f"{where} puts the figure of {whole} at {near}",
        f"{where} rounds the figure of {whole} in its own tables to {near}",
    )
    return written(analysis, rng, said, f"The figure '{whole}' is repeated, rounded.", _NOTE)


@recipe("contradiction.approx_vs_exact")
def approx_vs_exact(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a loose approximation of an exact figure."""
    options = [(p, n, r) for p, n in _figures(analysis, least=12) if (r := _rounded(n, 1) or _rounded(n, 2))]
    options = [o for o in options if not in_noise(analysis) or _tells_of(_subject(analysis, o[0]), o[0], o[1])]
    if not options:
        return Declined(DeclineReason.NOTHING_PERIPHERAL, "no exact figure stands beside the answer")
    passage, number, rounded = rng.choice(options)
    whole = number.whole.of(passage.text)
    near = whole.replace(number.text, rounded, 1)
    where = f"casual mentions of {_subject(analysis, passage)}" if in_noise(analysis) else "casual mentions of this"
    said = phrase(
        style,
        f"{where} speak of around {near}, where the exact figure is {whole}",
        f"{where} usually speak of somewhere around {near}, where the exact figure is {whole}",
    )
    return written(analysis, rng, said, f"The exact figure '{whole}' is approximated.", _NOTE)


@recipe("contradiction.peripheral_attribute_clash")
def peripheral_attribute_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Repeat a sentence beside the point with another date or figure in it."""
    options = []
    for passage in analysis.signal:
        for sentence in passage.sentences:
            changed = _changed_detail(analysis, passage, sentence, rng)
            if changed:
                options.append(changed)
    if not options:
        return Declined(
            DeclineReason.NOTHING_PERIPHERAL, "no sentence beside the answer stands alone and holds a detail"
        )
    opening = pick(
        style,
        rng,
        ("according to another note,", "a second note has a different detail:"),
        ("a note elsewhere puts one detail differently:", "in one detail a note kept elsewhere differs:"),
    )
    return written(analysis, rng, f"{opening} {rng.choice(options)}", "A side detail is contradicted.", _NOTE)


def _changed_detail(analysis: Analysis, passage: PassageAnalysis, sentence: Sentence, rng: random.Random) -> str | None:
    """Return a free-standing sentence without the answer, with its date or figure changed."""
    text = sentence.text
    long, odd = len(text.split()) > 32, any(c in text for c in '";“”:') or not text.endswith(".")
    if any(sentence.span.overlaps(a.span) for a in passage.answers) or long or odd or leans_back(text):
        return None
    if not re.match(r"[A-Z][a-z]", text) or analysis.is_answer(text):
        return None
    dates = [
        d
        for d in passage.dates
        if sentence.span.covers(d.span) and d.year and str(d.year) not in analysis.question.text
    ]
    if dates:
        return _kept_name(
            passage, sentence, shift_date_text(text, rng, years=(-3, -2, 2, 3)) if len(dates) == 1 else None
        )
    numbers = [
        n for n in passage.numbers
        if sentence.span.covers(n.span) and n.value >= 3 and n.unit and n.kind is not NumberKind.ORDINAL
    ]  # fmt: skip
    if len(numbers) != 1:
        return None
    span = numbers[0].span
    new = shift_number(numbers[0], rng)
    changed = replace_span(passage.text, span, new)[sentence.span.start : sentence.span.end + len(new) - len(span)]
    return _kept_name(passage, sentence, changed)


def _kept_name(passage: PassageAnalysis, sentence: Sentence, changed: str | None) -> str | None:
    """Return a changed sentence as it stands after a colon, with its capital where a name of several words opens it."""
    opened = any(n.span.start == sentence.span.start and " " in n.text for n in passage.names)
    return changed if changed is None or opened else mid_sentence(changed)


@recipe("contradiction.soft_antonym_modifiers")
def soft_antonym_modifiers(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Call something by a soft opposite of the adjective that the passage gives it."""
    asked, options = fold(analysis.question.text), []
    for passage in analysis.signal:
        for word, noun in zip(passage.tokens, passage.tokens[1:], strict=False):
            opposite = OPPOSITES.get(word.text)
            plain = noun.text.islower() and noun.text.isalpha() and can_be(noun.norm, "NOUN") and noun.norm not in asked
            if opposite and plain and word.norm not in asked and not analysis.is_answer(noun.text):
                about = _subject(analysis, passage)
                if about or not in_noise(analysis):
                    options.append((word.text, noun.text, opposite, about))
    options = [o for o in options if o[1] not in OPPOSITES]
    if not options:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no adjective that has a soft opposite")
    adjective, name, opposite, about = rng.choice(options)
    where = f"in the account of {about}" if in_noise(analysis) else "here"
    seems, are = ("seem", "are") if is_plural(name) else ("seems", "is")
    said = pick(
        style,
        rng,
        (
            f"the {name} called {adjective} {where} {seems} rather {opposite} to other observers",
            f"to other observers, the {adjective} {name} mentioned {where} {are} rather {opposite}",
        ),
        (
            f"the {name} described as {adjective} {where} would strike a number of other observers as rather "
            f"{opposite}",
            f"where {adjective} {name} {are} spoken of {where}, other observers would rather say {opposite}",
        ),
    )
    return written(analysis, rng, said, f"'{adjective}' is set against '{opposite}'.", _NOTE)


@recipe("contradiction.downstream_effect_clash")
def downstream_effect_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let two accounts of a consequence disagree."""
    about = spoken_of(analysis.main, find_subject(analysis))
    if about is not None and (analysis.is_answer(about) or " " not in about and is_known(about.lower())):
        about = None  # 'Order' alone is no name of what the passage is about
    if about is None and in_noise(analysis):
        return Declined(DeclineReason.NO_TOPIC)
    thing = about or "the matter"
    first, second = rng.choice(
        (
            (f"interest in {thing} grew sharply", "it fell just as sharply over the same months"),
            (f"the number of letters about {thing} doubled", "not a single letter came in"),
            (f"the papers wrote a great deal about {thing}", "the papers did not print a word on the subject"),
            (f"talks on {thing} drew full halls", "the same talks were given to empty rows"),
            (f"requests for books about {thing} went up", "they went down over the very same weeks"),
        )
    )
    if in_noise(analysis):  # nothing stands before it there that 'as a result' could lean on
        said = phrase(
            style,
            f"what followed is disputed: some reporters found that {first}, others that {second}",
            f"accounts of what came of it all differ: according to some, {first}; according to others, {second}",
        )
        return written(analysis, rng, said, "Two accounts of a consequence disagree.", _NOTE)
    said = pick(
        style,
        rng,
        (
            f"some observers noted that {first} as a result of all this; others noted that {second}",
            f"as a result, {first}, some reporters found; others found that {second}",
        ),
        (
            f"as to what followed from all this, some observers noted that {first}, while others, writing in the same "
            f"year, noted that {second}",
            f"accounts of the consequences differ: according to some, {first}; according to others, {second}",
        ),
    )
    return written(analysis, rng, said, "Two accounts of a consequence disagree.", _NOTE)
