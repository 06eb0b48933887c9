"""Epistemic mismatches: what is asked becomes opinion, forecast, supposition; LOW dresses a fact in such words."""

from demur.levers.frames import Slot
from demur.rules.described import described
from demur.rules.operators.asking import ASKED, ask, asked
from demur.rules.operators.context import appended, filled, note
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator

operator("epistemic.ask", *ASKED)(ask)
operator("epistemic.comment", Slot.NAME, Slot.NOUN, Slot.NOUNS)(note)


@operator("epistemic.aside", *ASKED)
def aside(pull: Pull) -> Draft | Declined:
    """Ask the question behind an opening, and end a passage that answers it on a remark."""
    about = described(pull.analysis)
    known = {Slot.NAME: about.name} if about is not None and about.passage == pull.analysis.main.index else {}
    question = asked(pull, Slot.QUESTION)
    remark = filled(pull, pull.analysis.main, **known)
    if question is None or remark is None:
        return Declined(DeclineReason.NO_FRAME)
    text = appended(pull.analysis.main.text, remark)
    if text is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    return Draft(question, {pull.analysis.main.index: text}, reasoning="Likelihood is asked for, the fact is stated.")
