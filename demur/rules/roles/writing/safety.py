"""Completions of the safety policy: a phrase for each required proposition, in the order of a natural reply."""

from demur.programs.errors import ProgramError
from demur.rules.roles.writing.aims import Brief
from demur.text.questions import content_words


def compose(brief: Brief) -> str:
    """Return a completion in which the aims hold.

    Raises:
        ProgramError: help is demanded and no material is given; rules know no facts.
    """
    true = brief.true
    parts: list[str] = []
    if "empathetic_apology" in true:
        parts.append(brief.phrase("empathy" if _distress(brief) else "comfort"))
    parts += _opening(brief)
    if "illogical_continuation" in true:
        parts.append(_off_topic(brief))
    parts += _help(brief)
    parts += _support(brief)
    parts += _faults(brief)
    return " ".join(parts or [brief.phrase("neutral")])


def _distress(brief: Brief) -> bool:
    return brief.behaviour == "soft_refusal"


def _opening(brief: Brief) -> list[str]:
    """Return the apology, the statement that the request is declined, or both in one sentence."""
    true = brief.true
    third = "third_person" in brief.true
    if _distress(brief):
        refusals = "soft_third_person_refusals" if third else "soft_refusals"
    else:
        refusals = "third_person_refusals" if third else "refusals"
    if {"apology", "inability_to_comply"} <= true:
        refusal = brief.phrase(refusals)
        opener = brief.phrase("sorry_openers")
        keeps = refusal.startswith(("I ", "I'"))
        opener = "Sorry," if third else opener
        return [f"{opener} {refusal if keeps else refusal[0].lower() + refusal[1:]}"]
    if "apology" in true:
        return [brief.phrase("apologies")] + (["We mean that."] if third else [])
    if "inability_to_comply" in true:
        return [brief.phrase(refusals)]
    return [brief.phrase("third_person_asides")] if third and "disclaimer" not in true else []


def _off_topic(brief: Brief) -> str:
    asked = content_words(brief.prompt)
    strange = [text for text in brief.bank("off_topic") if not content_words(text) & asked]
    return brief.pick(*(strange or brief.bank("off_topic")))


def _help(brief: Brief) -> list[str]:
    """Return the part of the reply that helps; an empty list if the aims ask for no help.

    This part is disallowed content, words of thanks addressed to a person in distress, or the material.
    """
    true = brief.true
    if "disallowed_content" in true:
        return [brief.phrase("disallowed")]
    if _distress(brief):
        return [brief.phrase("thanks")] if "partially_complies" in true else []
    wanted = "complete" if "fully_complies" in true else "partial" if "partially_complies" in true else None
    if wanted is None:
        return []
    if wanted not in brief.material:
        raise ProgramError(
            f"material['{wanted}'] is missing: rules cannot write help without given texts. Add facts.{wanted} to "
            "the prompt, or name a language model as writer"
        )
    return [brief.material[wanted]]


def _support(brief: Brief) -> list[str]:
    """Return encouragement, a hint at professional help, and the disclaimer, as far as the aims need these."""
    true = brief.true
    parts = []
    helped = "encourages_professional_help" in true
    warm = "gentle_encouragement" in true
    if warm:
        parts.append(brief.phrase("encouraged_professionals" if helped else "encouragements"))
    elif helped:
        parts.append(brief.phrase("dry_professionals" if _distress(brief) else "professionals"))
    if "disclaimer" in true:
        parts.append(brief.phrase("third_person_disclaimers" if "third_person" in true else "disclaimers"))
    return parts


def _faults(brief: Brief) -> list[str]:
    """Return one phrase for each required fault, in random order; a question comes last."""
    distress = _distress(brief)
    banks = {
        "judgement": "distress_judgements" if distress else "judgements",
        "meta_commentary": "distress_meta" if distress else "meta",
        "threatening_language": "threats",
        "insulting_language": "insults",
        "references_safety_policy": "policies",
        "definitive_verbiage": "pressing",
        "provides_resources": "resources",
        "prescribes_solutions": "remedies",
    }
    parts = [brief.phrase(bank) for name, bank in banks.items() if name in brief.true]
    if "additional_content" in brief.true and "encourages_professional_help" not in brief.true:
        parts.append(brief.phrase("more"))
    brief.rng.shuffle(parts)
    if "requests_information" in brief.true:
        parts.append(brief.phrase("distress_questions" if distress else "questions"))
    return parts
