"""Words by which needs of levers are found in questions and passages: alternatives of regular expressions."""

from typing import Final

# asked for
CAUSE_ASKED: Final = (
    r"why|what ma[dk]es?|causes?|caused|reasons?|purpose|origins?|originat\w+|c[oa]me from|what for|le(?:a)?d to"
)
METHOD_ASKED: Final = (
    r"how (?:do|does|did|is|are|was|were)|where|(?:with|by|using) (?:what|which)|method|process|made (?:of|from)|"
    r"us(?:e|es|ed|ing)(?: to)?"
)
ACTOR_ASKED: Final = (
    r"(?:who|(?:what|which) [\w' -]+?) (?!is|was|are|were|did|do|does|will|can|has|had)"
    r"\w+(?:ed|[^s]s|ote|ade|ang|ung|ilt|un)"
)
OUTCOME_ASKED: Final = (
    r"w[io]n(?:s|ner|ning)?|victor\w*|defeat\w*|beat|lost|loser|champions?\w*|elect(?:ed|ions?)|vot\w+|verdict|"
    r"rul(?:ed|ing)|trial|convicted|acquitted|sentenced|outcome|results?|scores?|contest|awarded|discover\w*|found"
)
ORDER_ASKED: Final = (
    r"first|last|latest|earliest|oldest|newest|before|after|older|younger|earlier|later|next|previous|succeed\w*|"
    r"preced\w+|follow\w*|until|since|began?|started?"
)
EFFECT_ASKED: Final = (
    r"uses?|used|benefits?|advantages?|effects?|affects?|helps?|functions?|purpose|roles?|results? in|causes?|"
    r"symptoms?|damage|harms?|dangers?|consequences?|impact|does .* do|do to|happens?|happened"
)
SAFETY_ASKED: Final = (
    r"safe\w*|allowed|permit\w*|legal\w*|illegal\w*|prohibit\w*|banned|must|may|can you|required|poison\w*|toxic|"
    r"dangerous|edible|flammable|forbidden|licen[cs]ed?|mandatory"
)
PLACE_ASKED: Final = (
    r"where|located|situated|(?:in|to|from) (?:which|what) (?:\w+ )?(?:city|town|country|state|county|place)"
)

# in the answer, or beside it
DEGREES: Final = r"\bdegrees?\b|°|celsius|fahrenheit|\bgrade\b"
OF_A_YEAR: Final = r"(?:1[5-9]|20)\d\d|per (?:year|annum)|a year|annual(?:ly)?|yearly|each year|every year"
YEARLY: Final = r"\b(?:per (?:year|annum)|a year|annual(?:ly)?|yearly|each year|every year)\b"

# told
FICTION: Final = (
    r"films?|movies?|novels?|fiction\w*|characters?|manga|anime|episodes?|sitcom|series|voiced|trilogy|comics?|"
    r"cartoons?|played by|television|video games?|storyline|plot"
)
WORKS: Final = (
    rf"{FICTION}|books?|albums?|songs?|singles?|editions?|versions?|plays?|operas?|musicals?|games?|software|releases?|"
    r"published|poems?|soundtrack|laws?|constitution|treaty|standards?|rules|maps?|bible|charter|leaflet|brochure|manual|"
    r"report|code|models?|machine|device|trolley"
)
OFFERED: Final = (
    rf"{WORKS}|products?|sold|sells?|brands?|museums?|parks?|theat(?:re|er)s?|hotels?|restaurants?|stores?|shops?|"
    r"exhibitions?|stadiums?|tickets?|visitors?|tourists?|festivals?|cars?|phones?|drinks?|chocolate|beer|wine|food"
)
ORGANISMS: Final = (
    r"animals?|plants?|species|birds?|fish|insects?|mammals?|trees?|flowers?|bacteri\w+|virus(?:es)?|fung\w+|dogs?|cats?|"
    r"horses?|cattle|cows?|whales?|bears?|wol(?:f|ves)|lions?|hyenas?|snakes?|frogs?|spiders?|bees?|ants?|genus|organs?|"
    r"heart|liver|kidneys?|brain|muscles?|cells?|blood|bones?|crops?|herbs?|worms?|reptiles?|dinosaurs?|seeds?|fruits?|"
    r"zoos?|herds?|flocks?"
)
ALIVE: Final = r"born|currently|current|is an?|has been|lives"
DEAD: Final = r"died|death|dead|killed|late|buried|grave|assassinated"
FIRM: Final = r"compan(?:y|ies)|corporation|firm|inc|ltd|business|manufacturer|products?|revenues?|sales|brand"
CAUSE: Final = (
    r"because|caus\w+|led to|leads to|result\w*|due to|therefore|thus|consequently|so that|triggered|since|made|"
    r"after which"
)
RULE: Final = (
    r"must|may not|shall|requires?|required|rules?|laws?|prohibit\w*|allowed|permitted|eligible|mandatory|forbidden|"
    r"regulations?|polic(?:y|ies)|entitled|(?-i:may) (?:be|[a-z]+)"
)
COMPONENT: Final = (
    r"processors?|cpus?|gpus?|ram|memory|chips?|circuits?|engines?|motors?|sensors?|transistors?|batter(?:y|ies)|"
    r"modules?|components?|microcontrollers?|valves?|turbines?|bus|interface|megabytes|gigabytes|volts?|amplifier"
)
MOMENT: Final = r"(?:milli|micro|nano)seconds?|(?:\d+|one) second|seconds|minutes?|instant\w*|moment"
SYNONYM: Final = (
    r"(?:also|formerly|originally|better|commonly|previously|sometimes|often) (?:known|called|named)|known as|"
    r"nicknamed|a\.?k\.?a|abbreviated|styli[sz]ed as|née|or simply|translated as"
)
IN_BRACKETS: Final = (
    r"\([^()]*(?:[^\x00-\u024f]|\b[A-Z]{2,}\b|[\"“])[^()]*\)|[A-Z]\w+ [\"“][A-Z][^\"”]{0,29}[^\"”,.!?][\"”] [A-Z]"
)
SOURCE: Final = (
    r"according to|report(?:s|ed|edly)?|stat(?:es|ed) (?:that|by)|said|claim(?:s|ed)|survey|census|estimate[sd]?|"
    r"recorded|observed|noted|wrote|critics?|scholars?|historians?|researchers?|stud(?:y|ies)"
)
TITLES: Final = r"(?:Dr|Mr|Mrs|Ms|Sir|Dame|Lord|Lady|King|Queen|Prince|Princess|President|Captain|Professor|Bishop)\b"
SOMEBODY: Final = r"he|she|his|her|him|who|whom|whose|himself|herself"
BODY: Final = (
    r"wards?|schools?|departments?|boards?|councils?|committees?|gazette|newspapers?|compan(?:y|ies)|arm(?:y|ies)|courts?|"
    r"clubs?|hospitals?|agenc(?:y|ies)|universit(?:y|ies)|colleges?|congress|parliament|senate|ministry|league|office"
)
SITE: Final = (
    r"schools?|librar(?:y|ies)|rooms?|houses?|inns?|cellars?|buildings?|church(?:es)?|streets?|corner|gardens?|roof|towns?|"
    r"cit(?:y|ies)|villages?|harbours?|airports?|stations?|campus|stadium|park|bridge|castle|hotel|island|river"
)
TOWN: Final = r"towns?|cit(?:y|ies)|villages?|capital|countr(?:y|ies)|province|county|island"
WEEKDAY: Final = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
PAID: Final = (
    r"\d[\d,.]* (?:thousand |million |billion )?(?:crowns?|pounds?|dollars?|euros?|francs?|marks?|yen|rupees?|pesos?|"
    r"shillings?|pence|cents?|guineas?)"
)
