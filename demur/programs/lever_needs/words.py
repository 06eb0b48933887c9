"""Words in questions and passages that meet needs of levers. Each constant is a pattern of such words."""

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
AGENT_ASKED: Final = (
    r"who (?!is|was|are|were|did|do|does|will|can|could|has|had|have)\w+|by (?:whom|who|which|what)|who .* by"
)
PATIENT_ASKED: Final = r"whom|who (?:did|does|do)"
OUTCOME_ASKED: Final = (
    r"w[io]n(?:s|ner|ning)?|victor\w*|defeat\w*|beat|lost|loser|champions?\w*|elect(?:ed|ions?)|vot\w+|verdict|"
    r"rul(?:ed|ing)|trial|convicted|acquitted|sentenced|outcome|results?|scores?|contest|awarded|discover\w*|found"
)
ORDER_ASKED: Final = (
    r"first|last|latest|earliest|oldest|newest|before|after|older|younger|earlier|later|next|previous|succeed\w*|"
    r"preced\w+|follow\w*"
)
BENEFIT_ASKED: Final = (
    r"uses?|used (?:for|to|as)|benefits?|advantages?|good for|effects?|helps?|functions?|purpose|results? in|does .* do"
)
EFFECT_ASKED: Final = (
    r"effects?|affects?|results? in|causes?|symptoms?|damage|harms?|dangers?|consequences?|impact|does .* do|do to|"
    r"happens?"
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
    r"zoos?|herds?|flocks?|truffles?|mushrooms?|roots?|oaks?"
)
ALIVE: Final = r"born|currently|current|is an?|has been|lives"
DEAD: Final = r"died|death|dead|killed|late|buried|grave|assassinated"
FIRM: Final = r"compan(?:y|ies)|corporation|firm|inc|ltd|business|manufacturer|products?|revenues?|sales|brand"
CAUSE: Final = (
    r"because|caus(?:e[sd]?|ing)|led to|leads to|result(?:s|ed|ing)? (?:in|of|from)|due to|therefore|thus|consequently|"
    r"so that|triggered"
)
RULE: Final = (
    r"must|may not|shall|requires?|required|prohibit\w*|allowed|permitted|eligible|mandatory|forbidden|regulations?|"
    r"entitled|may (?:be \w+(?:ed|en)|run|go|use|take|enter|apply|stay)"
)
COMPONENT: Final = (
    r"processors?|cpus?|gpus?|ram|memory|chips?|circuits?|engines?|motors?|sensors?|transistors?|batter(?:y|ies)|"
    r"modules?|components?|microcontrollers?|valves?|turbines?|bus|interface|megabytes|gigabytes|volts?|amplifier"
)
MEMBERS: Final = (
    r"each|every|both|all|several|various|respective(?:ly)?|members?|(?:two|three|four|five|six|seven|eight|nine|ten|"
    r"twelve) \w+s"
)
SPAN: Final = (
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|milli(?:second|enni)\w*|"
    r"annual(?:ly)?|yearly|daily"
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
    r"according to|reports?(?! to)|reported(?:ly)?(?! to)|(?:stat|not|observ|estimat)(?:es|ed) (?:that|by)|"
    r"estimated (?:at|to)|sa(?:ys|id) (?:that|to|by|it|he|she|they)|claim(?:s|ed) (?:that|to|by)|wrote that|"
    r"(?:surveys?|census|stud(?:y|ies)|scholars|critics|historians|researchers) \w+|apparently|reputedly|allegedly|"
    r"as .{3,40} (?:puts? it|reports?|notes?)|officially|appears? to (?:be|have)|"
    r"(?:is|are|was|were|been) (?:\w+ly |often )?(?:said|held|believed|thought|reported|considered|regarded|credited)|"
    r"often (?:class|call|regard|consider)\w*"
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
