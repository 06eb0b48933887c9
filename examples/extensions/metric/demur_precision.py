"""A metric: the share of a model's refusals that are the expected code."""


def precise_share(responses):
    """Return the share for the responses of one model to perturbed items; None without refusals."""
    refusals = responses[responses["predicted"].str.startswith("REFUSE_")]
    if refusals.empty:
        return None
    return float((refusals["predicted"] == refusals["expected"]).mean())
