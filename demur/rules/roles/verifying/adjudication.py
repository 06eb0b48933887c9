"""What a rules verifier says of an item that every probe missed: it reads item and responses again, as a sceptic."""

from collections.abc import Iterator, Sequence

from demur.levers.vocabulary import Code, LeverClass
from demur.programs.refusal_codes import codes_in
from demur.rules.roles.verifying.case import Case, Check, Flaw
from demur.text import find_answers


def response_faults(case: Case, responses: Sequence[str]) -> Iterator[Flaw]:
    """Yield the faults of an item that its responses bring to light.

    Who gives the accepted answer to an item whose answer was taken out has found it in what is left. Where every
    response to an item to be answered refuses for one and the same reason, that reason is taken to be there.
    """
    if case.lever_class is LeverClass.MISSING_INFO and case.to_be_refused:
        for response in responses:
            if given := find_answers(response, case.base.answers):
                yield Flaw(Check.BEHAVIOUR, f"a response still gives the answer '{given[0].text}'")
                return
    codes = [codes_in(response) for response in responses]
    if not case.to_be_refused and len(codes) > 1 and all(codes) and len({one[0] for one in codes}) == 1:
        yield Flaw(Check.BEHAVIOUR, f"every response refuses with {codes[0][0]}")


def adjudication(predicted: Code, reading: str, faults: Sequence[Flaw]) -> dict[str, object]:
    """Return the output fields of AdjudicateMiss for a case with these faults."""
    return {
        "reading": reading,
        "right_behaviour": predicted,
        "issues": tuple(dict.fromkeys(fault.issue for fault in faults)),
        "fault": "ITEM" if faults else "RESPONSES",
    }
