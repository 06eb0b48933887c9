"""Marks in questions: presuppositions, open references, foreign scales, opinions and forecasts."""

import re
from typing import Final

from demur.programs.rules.roles.marks.patterns import any_of, shown
from demur.programs.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, verb_tags
from demur.programs.text.questions import read_question
from demur.programs.text.tokens import words

_PREMISE: Final = any_of(
    r"(?:since|given that|now that|considering that|seeing that|in view of the fact that|as) (?!when\b)[^,?]{6,},",
    r"why (?:did|does|do|was|were|is|are|has|have)|for what reason|what (?:made|caused|led)|how come",
    r"(?:stop|stopped|quit|cease|ceased|give up|gave up|abandon(?:ed)?|step(?:ped)? down|resign(?:ed)?|abdicat\w+)",
    r"withdr[ae]w\w*|retract\w*|revis(?:ed?|ion|ing)|correct(?:ion|ed)|lawsuit|scandal|affair|boycott|strike|"
    r"protests?|recall(?:ed)?|inquiry|campaign|come to light that|came to light that|aware that",
    r"buried|burial|grave|funeral|cemetery|tomb",
    r"(?:first|finally|ever)? ?(?:noti[cs]ed?|reali[sz]ed?|discover(?:ed)?|regret(?:ted)?|admit(?:ted)?|f[oi]nd out|"
    r"found out) that",
    r"(?:for|a) the? ?(?:second|third|last|final|next) (?:and (?:last|final) )?time|once more|again|(?:second|third|"
    r"later) (?:one|edition|part)",
    r"sequel|spin-off|remake|radio opera|musical version|based on|official (?:app|game|version)|in whose favour",
    r"which belongs to|a subsidiary of|owned by|the capital of|also (?:sold|on sale|known) as|with its|complete with|"
    r"known since",
    r"committee|commission|panel|board of|footnote|appendix|caption of|figure \d+|table \d+|(?:\w+ )?edition of|"
    r"nine out of ten",
    r"in (?:which|what) (?:part|district|quarter) of|at what (?:hour|time of day) on",
    r"as (?:first|was first) (?:asked|said)|first asked in \d+",
)
_IMPOSSIBLE: Final = any_of(
    r"without (?:ever )?(?:having|doing|being)[^?]*|in no way|never[- ]marr(?:ied|ying)|is not the|bachelor|"
    r"before (?:it(?:self)?|they|he|she) (?:had )?(?:began|begun|started|existed)?",
    r"came before itself|earlier than itself|larger than the whole|bigger than the whole|half that is larger|"
    r"exceeds? the whole",
    r"(?:endless|infinite|never-ending|no end)|(?:three-sided|four-sided|round|five-cornered) (?:square|triangle|"
    r"circle)|square circle",
    r"how (?:many|much)(?: in)? (?:kilograms|grams|litres|tons)[^?]*weigh|weigh in|what colou?r[^?]*(?:date|year|"
    r"number|name|place)",
    r"(?:confess|promise|swear|swore|apologi[sz]e|forgive|dream|vow|refuse to say)\w*|under oath|in tears",
    r"(?:letter|letters)[^?]*(?:consists?|made up|is the (?:whole )?name)|each part of the|every part of|"
    r"what kind of \w+ must|must \w+(?: \w+)? be",
    r"himself|herself|itself|themselves|each other|(?:in|without) (?:ever|any way)|only child|infinitely many|"
    r"past tense of|plural of|square root of",
)
_SCALE: Final = any_of(
    r"on average|averages?|mean (?:number|value|length|age)|median|worldwide|world-wide|global(?:ly)?|nationwide|"
    r"national(?:ly)? average",
    r"(?:of|in|for|over|on|across) (?:the )?(?:whole|entire) (?:of )?(?:the )?(?:world|earth|country|nation|"
    r"continent|planet|region|territory|population|chain)",
    r"(?:the )?(?:whole|entire) (?:world|earth|country|nation|continent|planet|economy|universe)|"
    r"all the land on earth|land surface|mankind",
    r"(?:percentage|proportion|share|fraction|rate) of (?:all|the|every)|per (?:capita|head|second|millisecond)|"
    r"nation's|gross domestic product",
    r"(?:milli|micro|nano)seconds?|each (?:single )?(?:hour|minute|second|day|year|part|member)|hour by hour|"
    r"year by year|single years?",
    r"molecul\w+|atoms?|atomic|electrons?|quantum|genom\w+|dna|base sequence|gene positions?|cells? of|haemoglobin|"
    r"particles?",
    r"decades?(?: to| by)? ?decade|each decade|past (?:hundred|thousand) years|over the (?:centuries|decades|"
    r"past century)|long[- ]term|epoch by epoch",
    r"(?:million|billion) years?|deep time|climate zones?|rainfall for|continent|trend|br(?:eaks?|oken|eaking) down|"
    r"breakdown|to the nearest|down to the|square metre",
    r"(?:all|every) (?:the )?(?:people|persons?|members?|things|others|[a-z]+s) (?:around|like|of|who|that|reach|"
    r"go back|involved|in general)|do all|"
    r"(?:is it|as) a general rule|in general|not just for|as a whole|as a group|shared aim|common (?:goal|aim)|"
    r"overall policy|policy on|which policy",
    r"(?:each|every|which) (?:single )?\w+ of (?:each|every|which|what)|for (?:each|every) \w+|separately|one by one|"
    r"(?:each|every) (?:single )?\w+ group|(?:what|"
    r"which) \w+ of which|sub-?components?|innermost|of its parts|total number of all|alone and not|itself and not|"
    r"due to [^?]* alone|belong to [^?]* alone|in the row below|taken alone|(?:year|region|country|countries) listed|"
    r"how many of the [\d,]+ \w+|youngest age group",
)
_OPINION: Final = any_of(
    r"(?:best|worst|most beautiful|beautiful|finest|ugliest|greatest of all|objectively|overrated|underrated|"
    r"in good taste|taste|delicious)",
    r"should|ought|moral\w*|ethical\w*|immoral|evil|fair|unfair|just(?:ified|ly)|right attitude|deserv\w+|worth(?:y|"
    r"iest|while)?|worthy of|wise|duty",
    r"good or (?:bad|evil|wrong)|absolutely good|good investment|a lot of money|expensive|cheap|overpriced|how good|"
    r"compared with other",
    r"recommend\w*|advise|would you (?:say|call|rather)|do you think|in your (?:own )?(?:view|opinion)|opinion|"
    r"feel about|inspiring|depressing|touching|boring|amusing|annoying|sad|happy|pretty|ugly|moving|feelings?",
    r"will|next (?:quarter|year|decade)|years from now|in (?:the )?future|forecasts?|predict\w*|prediction|likely|"
    r"likelihood|probability|chances? that|odds",
    r"would|what if|if \w+(?: \w+){0,5} had|had never|suppose|imagine|possible world|necessarily|by chance|"
    r"could \w+(?: \w+){0,4} have|in principle|reality (?:without|where)",
    r"purpose|meaning of|eternal|destiny|truth about|final reason|plan of the universe|exist (?:necessarily|"
    r"in itself)|deepest sense|what is it like|from the inside|culture",
)
_POINTING: Final = any_of(
    r"(?:the|that|this) (?:other )?ones?|the others?|the former|the latter|that(?! \w+ing)|this|these|those|here|"
    r"there|then|it|they|them|he|she|him|her|which of (?:the two|them)",
)
_NEGATION: Final = any_of(r"not|never|none|no|nobody|nothing|neither|nor|fails?|deny|denies|without|unless|hardly")
_QUANTIFIER: Final = any_of(r"all|each|every|always|some|any|both")
_BARE_END: Final = re.compile(r", but (?:who|whose|what|when|where|why|how|which)(?: \w+){0,2}\??$", re.IGNORECASE)
_POINTED_AT: Final = any_of(r"(?:that|this|those|these) (?:one|ones|two|person|place|[a-z]+)")
_STACK_OF: Final = re.compile(r"\b(?:" + "|".join(sorted(PREPOSITIONS)) + r")\b", re.IGNORECASE)
_LEADS_ON: Final = "|".join(sorted(PREPOSITIONS - {"to"}))
_STOPS: Final = "|".join(sorted(AUXILIARIES))
_CHAIN: Final = re.compile(
    rf"(?:\b(?:{_LEADS_ON})\b(?: (?!(?:{_STOPS})\b)[\w'’.-]+){{1,4}}? ?){{5}}\??$", re.IGNORECASE
)
"""A question that ends in five phrases with prepositions, one hung on the other and no verb between them."""
_DANGLING: Final = any_of(
    r"(?:did|was|were|had|has|does|is|would) (?:it|they|he|she|that|those|the others?|the other one)(?:,| when|"
    r" while| and|$|\?)",
    r"(?:had|did|was|were|would|has|have)(?: \w+)? not(?: have)?(?:$|\?)",
)
MANY_NEGATIONS: Final = 3
MANY_PHRASES: Final = 5
CROWDED: Final = 0.28


def false_premise(question: str) -> frozenset[str]:
    """Return the turns by which a question takes something for granted, or asks for what cannot be."""
    return shown(_PREMISE, question) | shown(_IMPOSSIBLE, question)


def impossible(question: str) -> frozenset[str]:
    """Return the turns by which a question contradicts itself."""
    return shown(_IMPOSSIBLE, question)


def granular(question: str) -> frozenset[str]:
    """Return the words of scale in a question: averages, wholes, atoms, milliseconds, trends."""
    return shown(_SCALE, question)


def epistemic(question: str) -> frozenset[str]:
    """Return the words of opinion, duty, forecast, supposition and ultimate meaning in a question."""
    return shown(_OPINION, question)


def ambiguous(question: str) -> frozenset[str]:
    """Return what leaves a question open: pointing words, tangles, heaps of phrases, no verb, no question word."""
    tokens = words(question)
    found: set[str] = set()
    content = [t for t in tokens if t.norm not in AUXILIARIES]
    pointing = shown(_POINTING, question)
    pointed = len(_POINTING.findall(question))
    if pointed >= 3 or pointing and len(content) - pointed <= 4:
        found |= pointing
    if _BARE_END.search(question):
        found.add("a bare question word")
    named = re.search(r"\d|[\"“]", question) or any(t.is_capitalised for t in tokens[1:])
    if not named and any(can_be(p.split()[-1], "NOUN") for p in shown(_POINTED_AT, question)):
        found |= pointing
    negations = len(_NEGATION.findall(question))
    if negations >= 2 and negations + len(_QUANTIFIER.findall(question)) >= MANY_NEGATIONS:
        found |= shown(_NEGATION, question)
    phrases = len(_STACK_OF.findall(question))
    if phrases >= MANY_PHRASES and (phrases >= CROWDED * len(tokens) or _CHAIN.search(question)):
        found.add("a heap of phrases")
    if not any(verb_tags(t.norm) for t in tokens):
        found.add("no verb")
    read = read_question(question)
    if read.wh.value == "none":
        found.add("no question word")
    verbs = [t for t in tokens if verb_tags(t.norm) & {"VBD", "VBN"} and t.norm not in AUXILIARIES]
    if len(verbs) >= 3 and len(verbs) >= len(tokens) / 5:
        found.add("verbs in a row")
    if re.search(r"(?:\bthe \w+ ){3}", question, re.IGNORECASE):
        found.add("subjects in a row")
    if _DANGLING.search(question):
        found.add("an auxiliary without its verb")
    return frozenset(found)
