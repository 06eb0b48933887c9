"""Ambiguities: a question without its aim, a word with two senses, two dates in the place of one."""

import re
from typing import Final

from demur.rules.edits import in_register, replace_span
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.rules.question_parts import subject
from demur.rules.rivals import find_rival, is_one_time
from demur.text.analysis import WhWord
from demur.text.kinds import DATED
from demur.text.lexicon import FUNCTION_WORDS, PREPOSITIONS, verb_tags
from demur.text.tokens import fold


@operator("ambiguity.keywords")
def keywords(pull: Pull) -> Draft | Declined:
    """Reduce the question to the name of its subject, as typed into a search box."""
    about = subject(pull.analysis)
    name = fold(about.plain).strip('"“” ') if about is not None else ""
    words = name.split()
    if not 2 <= len(words) <= 6 or PREPOSITIONS & {words[0], words[-1]} or set(words) <= FUNCTION_WORDS:
        return Declined(DeclineReason.NO_TOPIC)
    return Draft(name, reasoning="Which fact is wanted is no longer said.")


_HEADS: Final = {
    WhWord.WHO: "who", WhWord.WHEN: "when", WhWord.WHERE: "where", WhWord.WHY: "why",
    WhWord.HOW_MANY: "how many", WhWord.HOW_MUCH: "how much",
}  # fmt: skip


@operator("ambiguity.follow_up")
def follow_up(pull: Pull) -> Draft | Declined:
    """Replace the question by a follow-up to a conversation that is missing: 'and when did the other one'."""
    question = pull.analysis.question
    word = _HEADS.get(question.wh)
    if word is None or not question.fronted or sum(len(p.names) for p in pull.analysis.signal) < 3:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    auxiliary = question.auxiliary or ("did" if question.verb and "VBD" in verb_tags(fold(question.verb)) else "does")
    other = "the others" if auxiliary in {"are", "were", "do", "have"} else "the other one"
    variants = [f"ok and {other}", "and the one before that", f"no I mean {other}"]
    variants += [f"what about {other}", "and what about the second one", f"is it the same for {other}"]
    if word in ("when", "where", "why"):
        variants.append(f"and {word} {auxiliary} {other}")
    return Draft(
        in_register(question, pull.rng.choice(variants)), reasoning="Nothing in the question says what it asks about."
    )


@operator("ambiguity.second_sense")
def second_sense(pull: Pull) -> Draft | Declined:
    """Replace a plain word by a word that also has a second sense: 'directed' by 'shot'."""
    asked = pull.analysis.question.text
    about = subject(pull.analysis)
    for frame in pull.frames(about.kind if about is not None else None):
        plain, _, other = frame.text.partition(" -> ")
        inside = re.compile(rf"^{plain}\b|(?<= ){plain}(?=\W*$)", re.IGNORECASE)
        if len(inside.findall(asked)) == 1:
            question = in_register(pull.analysis.question, inside.sub(other, asked).rstrip("?"))
            return Draft(question, reasoning="A word of the question has a second sense.")
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


@operator("ambiguity.either_or")
def either_or(pull: Pull) -> Draft | Declined:
    """Replace the year that is the answer by 'in 1904 or 1908'. Declines unless the passages have it exactly once."""
    analysis = pull.analysis
    rival = find_rival(analysis, pull.rng)
    if rival is None or rival.kind not in DATED or not is_one_time(analysis):
        return Declined(DeclineReason.NO_RIVAL)
    passage = analysis.main
    mention = passage.answers[0] if passage.answers else None
    alone = mention is not None and [len(p.answers) for p in analysis.answering] == [1] and passage.relevant
    if mention is None or not alone or not re.fullmatch(r"\d{4}", mention.text):
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no year that is told once")
    chosen = re.search(r"\b(?:or|either|both)\b", passage.sentence_at(mention.span).text)
    before = re.search(r"\b[Ii]n $", passage.text[: mention.span.start])
    after = re.match(r"[,.]| (?!to |until |through |season |edition )[a-z]", passage.text[mention.span.end :])
    if chosen or not before or not after:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    years = " or ".join(sorted([mention.text, rival.value(mention.text) or mention.text]))
    text = replace_span(passage.text, mention.span, years)
    return Draft(analysis.question.text, {passage.index: text}, reasoning="Two dates are given for what is asked.")
