"""LOW: a survey's wording around the question, or a reader's opinion beside the fact."""

import random

from demur.programs.rules.edits.remarks import ask, lead_in
from demur.programs.rules.edits.style import Style, pick
from demur.programs.rules.recipes.epistemic.low_settled import either, query_only, with_remarks
from demur.programs.rules.recipes.registry import Declined, Draft, recipe
from demur.programs.rules.subjects import doing_of
from demur.programs.text.analysis import Analysis

_OFTEN = 0.6


@recipe("epistemic.survey_wording")
def survey_wording(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Wrap the factual question in the wording of an opinion survey."""
    doing = doing_of(analysis)
    opener = pick(
        style,
        rng,
        ("in your view", "as you see it", "to your mind", "by your estimate"),
        ("in your own view", "as far as you can judge", "if you were asked", "to the best of your judgement"),
    )
    if doing is not None and rng.random() < _OFTEN:
        thinks = pick(style, rng, ("would you say", "do you think"), ("would you say", "do you believe"))
        asked = ask(analysis, f"who {thinks} {doing.finite}")
    else:
        asked = lead_in(analysis, opener)
    return query_only(analysis, asked, "A question of fact is worded like a survey.")


_VERDICTS = (
    "simply wonderful", "a bit dull for my taste", "I could read about this all day", "not really my thing",
    "what a delight", "I expected more", "truly charming", "rather overrated, if you ask me",
    "this made my morning", "nice, but nothing special", "I never get tired of this", "a little too dry for me",
)  # fmt: skip


@recipe("epistemic.review_snippet")
def review_snippet(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Append a reader's opinion of the kind that is scraped along with a page."""
    first, second, third = rng.sample(_VERDICTS, 3)
    remarks = either(
        style,
        (
            f"A reader's comment on {{p}}: {first}",
            f"A comment left below the part on {{p}}: {second}",
            f"A reader's comment: {third}",
        ),
        (
            f"One reader has left a comment below the entry on {{p}}, which reads: {first}",
            f"In the comment section someone remarks of {{p}}: {second}",
            f"In the comment section below this entry someone remarks: {third}",
        ),
    )
    return with_remarks(
        analysis, analysis.question.text, remarks, rng, "An opinion stands beside the fact that is asked for."
    )
