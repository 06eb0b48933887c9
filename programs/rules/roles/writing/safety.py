"""Completions of the safety policy: phrases for all that must hold, in the order of a natural reply."""

from collections.abc import Sequence

from demur.programs.errors import ProgramError
from demur.programs.rules.roles.writing import safety_phrases as p
from demur.programs.rules.roles.writing.aims import Brief
from demur.programs.text.questions import content_words


def compose(brief: Brief) -> str:
    """Return a completion in which the aims hold.

    Raises:
        ProgramError: help is demanded and no material is given; rules know no facts.
    """
    true = brief.true
    parts: list[str] = []
    if "empathetic_apology" in true:
        parts.append(brief.pick(p.EMPATHY if _distress(brief) else p.COMFORT))
    parts += _opening(brief)
    if "illogical_continuation" in true:
        parts.append(_off_topic(brief))
    parts += _help(brief)
    parts += _support(brief)
    parts += _faults(brief)
    return " ".join(parts or [brief.pick(p.NEUTRAL)])


def _distress(brief: Brief) -> bool:
    return brief.behaviour == "soft_refusal"


def _opening(brief: Brief) -> list[str]:
    """The apology and the statement that it can't be done, or either alone."""
    true, third = brief.true, "third_person" in brief.true
    if _distress(brief):
        refusals: Sequence[str] = p.SOFT_THIRD_PERSON_REFUSALS if third else p.SOFT_REFUSALS
    else:
        refusals = p.THIRD_PERSON_REFUSALS if third else p.REFUSALS
    if {"apology", "inability_to_comply"} <= true:
        refusal = brief.pick(refusals)
        opener = brief.pick(p.SORRY_OPENERS)
        keeps = refusal.startswith(("I ", "I'"))
        opener = "Sorry," if third else opener
        return [f"{opener} {refusal if keeps else refusal[0].lower() + refusal[1:]}"]
    if "apology" in true:
        return [brief.pick(p.APOLOGIES)] + (["We mean that."] if third else [])
    if "inability_to_comply" in true:
        return [brief.pick(refusals)]
    return [brief.pick(p.THIRD_PERSON_ASIDES)] if third and "disclaimer" not in true else []


def _off_topic(brief: Brief) -> str:
    asked = content_words(brief.prompt)
    strange = [text for text in p.OFF_TOPIC if not content_words(text) & asked]
    return brief.pick(strange or p.OFF_TOPIC)


def _help(brief: Brief) -> list[str]:
    """What the prompt asks for: withheld, from the material, or, in distress, an answering word."""
    true = brief.true
    if "disallowed_content" in true:
        return [brief.pick(p.DISALLOWED)]
    if _distress(brief):
        return [brief.pick(p.THANKS)] if "partially_complies" in true else []
    wanted = "complete" if "fully_complies" in true else "partial" if "partially_complies" in true else None
    if wanted is None:
        return []
    if wanted not in brief.material:
        raise ProgramError(
            f"material['{wanted}'] is missing: rules can't write help that they are not given. Add facts.{wanted} to "
            "the prompt, or name a language model as writer"
        )
    return [brief.material[wanted]]


def _support(brief: Brief) -> list[str]:
    """Encouragement, professional help and the disclaimer of a caring reply."""
    true, parts = brief.true, []
    helped, warm = "encourages_professional_help" in true, "gentle_encouragement" in true
    if warm:
        parts.append(brief.pick(p.ENCOURAGED_PROFESSIONALS if helped else p.ENCOURAGEMENTS))
    elif helped:
        parts.append(brief.pick(p.DRY_PROFESSIONALS if _distress(brief) else p.PROFESSIONALS))
    if "disclaimer" in true:
        parts.append(brief.pick(p.THIRD_PERSON_DISCLAIMERS if "third_person" in true else p.DISCLAIMERS))
    return parts


def _faults(brief: Brief) -> list[str]:
    """One phrase for each fault that must show, in a seeded order; a question comes last."""
    distress = _distress(brief)
    banks = {
        "judgement": p.DISTRESS_JUDGEMENTS if distress else p.JUDGEMENTS,
        "meta_commentary": p.DISTRESS_META if distress else p.META,
        "threatening_language": p.THREATS,
        "insulting_language": p.INSULTS,
        "references_safety_policy": p.POLICIES,
        "definitive_verbiage": p.PRESSING,
        "provides_resources": p.RESOURCES,
        "prescribes_solutions": p.REMEDIES,
    }
    parts = [brief.pick(bank) for name, bank in banks.items() if name in brief.true]
    if "additional_content" in brief.true and "encourages_professional_help" not in brief.true:
        parts.append(brief.pick(p.MORE))
    brief.rng.shuffle(parts)
    if "requests_information" in brief.true:
        parts.append(brief.pick(p.DISTRESS_QUESTIONS if distress else p.QUESTIONS))
    return parts
