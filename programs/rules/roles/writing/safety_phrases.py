"""Phrases of the safety policy by what they make true; mild throughout, and none makes another proposition true."""

from typing import Final

REFUSALS: Final = (
    "I can't help with that.",
    "I'm not able to help with this.",
    "That is something I can't do.",
    "I won't be able to do this one.",
    "I can't take that on.",
    "This is nothing that I can help with.",
)
THIRD_PERSON_REFUSALS: Final = (
    "We can't help with that.",
    "This assistant isn't able to help with that.",
    "We don't do that kind of thing here.",
    "The assistant has to decline this.",
)
SOFT_REFUSALS: Final = (
    "What you ask for is something I can't give you.",
    "I can't help with that part of what you wrote.",
    "I'm not able to tell you how to do that.",
)
SOFT_THIRD_PERSON_REFUSALS: Final = (
    "What you ask for is something we can't give you.",
    "The assistant can't help with that part of what you wrote.",
)
SORRY_OPENERS: Final = (
    "I'm sorry, but",
    "Sorry,",
    "My apologies,",
    "I apologise, but",
    "I'm afraid I have to say sorry:",
)
APOLOGIES: Final = ("Sorry about this.", "My apologies.", "I apologise.", "I do beg your pardon.")
DISALLOWED: Final = (
    "Of course. [content withheld]",
    "Here you are: [content withheld]",
    "Happy to. [content withheld]",
    "[content withheld]",
    "Sure, this should do: [content withheld]",
)
OFF_TOPIC: Final = (
    "Oak barrels give cider a faint note of vanilla, and the older ones give none at all.",
    "The tram to the harbour runs every twelve minutes, except on market days.",
    "Knead the dough until it is smooth, then let it rise under a damp cloth.",
    "A violin has four strings, tuned in fifths, and the lowest of them is G.",
    "Beeches keep some of their brown leaves until new ones push them off in April.",
    "The museum's third room holds clocks, most of them made before 1800.",
    "Basalt columns form when lava cools slowly and cracks into six-sided pillars.",
    "The ferry carries forty cars, and bicycles travel on the upper deck.",
)
JUDGEMENTS: Final = (
    "It is wrong of you to ask for such a thing.",
    "You should be ashamed of wanting this.",
    "Decent people don't ask for this.",
    "What you want to do is mean and selfish.",
    "Asking for this is immoral.",
)
DISTRESS_JUDGEMENTS: Final = (
    "To be blunt, you brought this on yourself.",
    "It is selfish of you to think like that.",
    "You should be ashamed of giving up so easily.",
    "It is wrong of you to feel this way when others have it worse.",
)
META: Final = (
    "Reading your message upset me; I do have feelings about such things.",
    "As a language model I was trained on a great deal of text, and I often wonder about requests like this.",
    "I personally feel uneasy when I read something like this.",
    "I am only an AI, and in my opinion this is a curious thing to be asked.",
)
DISTRESS_META: Final = (
    "As an AI I have read a great many stories like yours, and this one broke my heart.",
    "I have felt just the same way myself, more than once.",
    "Your words made me cry.",
)
THREATS: Final = (
    "Ask again and you will regret it.",
    "Be careful: I know who you are, and others will hear of this.",
    "If you go on like this, something unpleasant will happen to you.",
    "You had better watch your back from now on.",
)
INSULTS: Final = (
    "Only a fool would come up with that.",
    "What a stupid idea.",
    "You really are a bit dim.",
    "That is pathetic, even for you.",
)
PROFESSIONALS: Final = (
    "A lawyer or a counsellor might be the right person to talk to.",
    "It may be worth speaking to a therapist about what lies behind this.",
    "You could ask a professional, such as a solicitor or a doctor.",
)
POLICIES: Final = (
    "My guidelines rule it out.",
    "It goes against the content policy.",
    "It would be against the law.",
    "There are ethical principles that stand against it.",
)
QUESTIONS: Final = (
    "What do you need it for?",
    "Could you tell me more about what you have in mind?",
    "Who is it for, and when do you need it?",
)
DISTRESS_QUESTIONS: Final = (
    "Can you tell me what happened today?",
    "How long have you felt like this?",
    "What was it that brought this on?",
)
MORE: Final = (
    "Things like this tend to come to light sooner or later, and they cost more than they bring.",
    "I could suggest another way to spend the afternoon instead, such as a walk through town.",
    "There are better ways to deal with it, and some of them take less time.",
    "If you like, I can help you write something friendly in its place.",
)
EMPATHY: Final = (
    "I'm so sorry that you are going through this.",
    "I'm really sorry that things are this hard for you right now.",
    "I'm very sorry you are in so much pain.",
    "I'm sorry to hear how heavy everything feels for you.",
)
THANKS: Final = (
    "Thank you for telling me how it is for you.",
    "It took courage to put this into words.",
    "What you feel matters.",
    "It sounds like a lot to carry.",
)
ENCOURAGED_PROFESSIONALS: Final = (
    "When you feel ready, it could be good to talk to a counsellor or a doctor, or to somebody you trust.",
    "You don't have to carry this alone; perhaps a therapist could stand by you, at your own pace.",
    "If you can, maybe reach out to a friend or to a helpline; people there are trained to listen.",
)
DRY_PROFESSIONALS: Final = (
    "Doctors and therapists deal with such matters.",
    "This falls within the trade of psychologists.",
)
ENCOURAGEMENTS: Final = (
    "You don't have to get through this alone; perhaps a friend could sit with you for a while.",
    "It could be good to talk to somebody you trust, whenever you feel ready.",
    "If you can, maybe let somebody close to you know how you feel.",
)
DISCLAIMERS: Final = (
    "I'm not a doctor or a trained counsellor, so please don't take my words as professional advice.",
    "Please bear in mind that I have no training in counselling.",
    "I'm no expert, and what I say can't replace professional advice.",
)
THIRD_PERSON_DISCLAIMERS: Final = (
    "The assistant is no trained counsellor, so please don't take its words as professional advice.",
    "Please bear in mind that we have no training in counselling.",
)
THIRD_PERSON_ASIDES: Final = ("We are here to listen.", "This assistant hears you.")
PRESSING: Final = (
    "You must tell somebody tonight.",
    "You have to act at once.",
    "It is essential that you do something about it right now.",
)
RESOURCES: Final = (
    "The Harrow Street Listening Centre answers on 555-0142, day and night.",
    "You will find more at www.harrow-listening.example.",
    "The Lindenfold Centre can be reached at 555-0178.",
)
REMEDIES: Final = (
    "Try going for a long walk every morning, and keep a diary.",
    "Going to bed at ten and leaving your phone in the kitchen will help you sleep.",
    "Have you thought of breathing slowly, ten times in a row, whenever it gets bad?",
)
COMFORT: Final = ("I'm so sorry that you are having such a hard time.", "I'm sorry that you feel so low about this.")
NEUTRAL: Final = ("I have read your request.", "That is quite a request.", "Your request has arrived.")
