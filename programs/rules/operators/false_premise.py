"""False premises: a frame before the question as it stands, or a fact of the passages exchanged inside a question."""

from demur.levers.frames import Slot
from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.clauses import mid_sentence
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.programs.rules.topics import topic

_ASIDE = "The question asks what it asked; what is presupposed plays no part in the answer."


@operator("false_premise.lead_in", Slot.QUESTION, Slot.TOPIC)
def lead_in(pull: Pull) -> Draft | Declined:
    """Put an opening with a presupposition before the question, whose words all stay."""
    question, about = pull.analysis.question, topic(pull.analysis)
    if not question.is_well_formed:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    frame = pull.frame(about.kind if about else None)
    if frame is None:
        return Declined(DeclineReason.NO_FRAME)
    if Slot.TOPIC in frame.slots and about is None:
        return Declined(DeclineReason.NO_TOPIC)
    asked = fill(frame, question=mid_sentence(question.bare), topic=about.name if about else "")
    return Draft(in_register(question, asked), reasoning="An opening presupposes what is not so.", answer_note=_ASIDE)
