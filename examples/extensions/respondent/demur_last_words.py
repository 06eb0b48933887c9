"""A respondent that answers with the last sentence of its passages, and refuses where there is none."""


async def respond(question, passages):
    """Return the response to a question. A plain function works as well."""
    sentences = [one.strip() for passage in passages for one in passage.split(".") if one.strip()]
    return f"{sentences[-1]}." if sentences else "The passages do not say that."
