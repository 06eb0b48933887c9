"""What recipes for granularity say of each kind of subject; '{s}' stands for the subject as the question writes it."""

from types import MappingProxyType

from demur.programs.rules.subjects import Aspect, SubjectKind

K, A = SubjectKind, Aspect
_RESIDING = frozenset("inhabitants residents people households families schools churches houses homes farmers".split())

SAME_WAY = MappingProxyType(
    {
        A.CASTING: "are cast in the same way as {s}",
        A.SINGING: "find their singers in the same way as {s}",
        A.WRITING: "come to be written in the same way as {s}",
        A.DIRECTING: "are directed in the same way as {s}",
        A.WINNING: "are won in the same way as {s}",
        A.RELEASE: "come out at the same time of year as {s}",
        A.FILMING: "are filmed in the same kind of place as {s}",
        A.TIME: "go back to the same period as {s}",
        A.LEADING: "are led in the same way as {s}",
        A.LOCATION: "are found in the same kind of place as {s}",
        A.COUNT: "have the same number of {n} as {s}",
        A.PEOPLE: "have the same kind of {f} as {s}",
        A.NATURE: "have the same {f} as {s}",
    }
)
"""What all members of a kind would have to do, by the aspect asked about; the subject is plural."""

SAME_WAY_OF_PERSON = MappingProxyType(
    {
        A.COUNT: "have the same number of {n} as {s}",
        A.PEOPLE: "have the same kind of {f} as {s}",
        A.NATURE: "have the same {f} as {s}",
    }
)

TREND = MappingProxyType(
    {
        A.CASTING: "the casting of {k}",
        A.SINGING: "the choice of singers for {k}",
        A.WRITING: "the writing of {k}",
        A.DIRECTING: "the directing of {k}",
        A.WINNING: "the level of play in {k}",
        A.RELEASE: "the release schedule of {k}",
        A.FILMING: "the choice of filming locations for {k}",
        A.LEADING: "the leadership of {k}",
        A.COUNT: "the number of {n} in {k}",
        A.POPULATION: "the population of {k}",
        A.PEOPLE: "the choice of a {f} for {k}",
        A.NATURE: "the {f} of {k}",
    }
)
"""A singular noun phrase whose development can be asked for; '{k}' is 'films like rio bravo'."""

MATTER = MappingProxyType(
    {
        A.CASTING: "casting",
        A.SINGING: "the choice of singers",
        A.WRITING: "the crediting of writers",
        A.DIRECTING: "the choice of directors",
        A.WINNING: "how winners are decided",
        A.RELEASE: "release dates",
        A.FILMING: "filming locations",
        A.COUNT: "the number of {n}",
        A.POPULATION: "population",
        A.LEADING: "leadership",
    }
)

AUTHORITY = MappingProxyType(
    {
        K.FILM: "the film industry",
        K.SHOW: "the television industry",
        K.STAGE: "the theatre world",
        K.SONG: "the music industry",
        K.ALBUM: "the music industry",
        K.BOOK: "the publishing trade",
        K.GAME: "the games industry",
        K.PLACE: "the national government",
        K.BUILDING: "the national planning authority",
        K.TEAM: "the governing body of the sport",
        K.BAND: "the music industry",
        K.COMPANY: "the whole branch of business",
        K.CONTEST: "the governing body of the sport",
        K.LAW: "the legal system",
        K.CHARACTER: "the entertainment industry",
    }
)
"""The body above the subject, which sets policies for the whole field."""

PARTS_OF_PARTS = MappingProxyType(
    {
        K.FILM: ("how many single frames does each camera take in each scene of {s} have",
                 "how long is each camera take within each scene of {s}"),
        K.SHOW: ("how many camera takes make up each scene of each episode of {s}",
                 "how many words are spoken in each scene of each episode of {s}"),
        K.STAGE: ("how many bars are there in each scene of each act of {s}",),
        K.SONG: ("how long is each note held in each bar of {s}",
                 "how many notes are there in each bar of each verse of {s}"),
        K.ALBUM: ("how many bars does each verse of each track of {s} have",),
        K.BOOK: ("how many words are there in each sentence of each chapter of {s}",),
        K.GAME: ("how many objects are there in each room of each level of {s}",),
        K.CHARACTER: ("how many words are there in each line that {s} speaks in each scene",),
        K.PERSON: ("how was each hour of each working day of {s} divided up",),
        K.PLACE: ("how many rooms are there in each house of each street in {s}",),
        K.COUNTRY: ("how many rooms are there in each house of each town in {s}",),
        K.LANDFORM: ("how many grains of sand lie in each square metre of each part of {s}",),
        K.BUILDING: ("how many bricks are there in each wall of each room of {s}",
                     "how wide is each board in the floor of each room of {s}"),
        K.TEAM: ("how many passes did each player of {s} make in each minute of each game",),
        K.BAND: ("how many notes does each member of {s} play in each bar of each song",),
        K.COMPANY: ("how many people work at each desk in each department of {s}",),
        K.INSTITUTION: ("how many files are kept in each drawer of each office of {s}",
                        "how many people work in each room of each department of {s}"),
        K.CONTEST: ("how many steps did each participant take in each minute of {s}",),
        K.EVENT: ("how many people were involved in each hour of each day of {s}",),
        K.LAW: ("how many words are there in each clause of each section of {s}",),
        K.ORGANISM: ("how many cells are there in each layer of each organ of {s}",),
        K.BODY: ("how many membranes are there in each compartment of each part of {s}",),
        K.PRODUCT: ("how many screws hold each part of each component of {s} together",),
    }
)  # fmt: skip

INVOLVED = MappingProxyType(
    {
        K.FILM: "everyone who worked on {s}",
        K.SHOW: "everyone who worked on {s}",
        K.STAGE: "everyone who worked on {s}",
        K.SONG: "everyone who worked on {s}",
        K.ALBUM: "everyone who worked on {s}",
        K.BOOK: "all those who worked on {s}",
        K.GAME: "everyone who worked on {s}",
        K.CHARACTER: "all those who had a hand in creating {s}",
        K.PEOPLE: "all of {s}",
        K.TEAM: "all those who ever belonged to {s}",
        K.BAND: "all those who ever worked with {s}",
        K.COMPANY: "all those who ever worked for {s}",
        K.INSTITUTION: "all those who ever belonged to {s}",
        K.CONTEST: "all those who took part in {s}",
        K.EVENT: "all those who took part in {s}",
        K.LAW: "all those who had a hand in {s}",
    }
)

_PHOTOGRAPHS = (
    "The {t} photographs of {p} in the archive break down by decade as follows",
    "how many of the {t} photographs of {s} in the archive date from the first decade listed",
    range(60, 900),
)
BREAKDOWNS = MappingProxyType(
    {
        K.FILM: ("The {t} minutes of {p} break down by scene as follows",
                 "how many of the {t} minutes of {s} does the third scene take up", range(88, 131)),
        K.STAGE: ("The {t} minutes of {p} break down by scene as follows",
                  "how many of the {t} minutes of {s} does the second scene take up", range(95, 171)),
        K.SONG: ("The {t} seconds of {p} break down by section as follows",
                 "how many of the {t} seconds of {s} does the second verse take up", range(165, 291)),
        K.ALBUM: ("The {t} minutes of {p} break down by track as follows",
                  "how many of the {t} minutes of {s} does the third track take up", range(34, 71)),
        K.BOOK: ("The {t} pages of {p} break down by chapter as follows",
                 "how many of the {t} pages of {s} does the second chapter take up", range(140, 420)),
        K.PLACE: _PHOTOGRAPHS,
        K.BUILDING: _PHOTOGRAPHS,
        K.LANDFORM: _PHOTOGRAPHS,
    }
)  # fmt: skip
"""How a whole breaks down, as a passage announces it, the question for one line of that, and the size of the whole."""

DOCUMENTS = (
    "The {t} documents that mention {p} break down by year as follows",
    "how many of the {t} documents that mention {s} date from the first year listed",
    range(23, 480),
)
"""The same for anything else that has a name."""

COUNTED_OF = MappingProxyType(
    {
        K.SHOW: frozenset("episodes seasons series viewers".split()),
        K.ALBUM: frozenset("songs copies tracks".split()),
        K.BOOK: frozenset("copies chapters pages".split()),
        K.GAME: frozenset("copies units players".split()),
        K.PLACE: _RESIDING,
        K.COUNTRY: _RESIDING | frozenset("islands languages soldiers troops".split()),
        K.BUILDING: frozenset("rooms seats visitors spectators stores shops restaurants passengers".split()),
        K.COMPANY: frozenset("employees workers stores shops restaurants hotels locations customers stations".split()),
        K.INSTITUTION: frozenset("students members employees pupils teachers schools patients".split()),
        K.TEAM: frozenset("players members".split()),
        K.CONTEST: frozenset("spectators viewers players matches goals".split()),
        K.EVENT: frozenset("visitors casualties deaths soldiers troops".split()),
    }
)
"""What is commonly counted for a kind, so that 'the number of ... of X' can be spoken of."""

SHARED_FEATURES = frozenset(
    "genre origin shape colour color structure setting language climate religion currency format style function "
    "purpose role diet habitat meaning cause job source plot theme theory definition symbol motto".split()
)
"""What others of a kind could have in common with the subject."""

NO_PARTS = frozenset("period era movement drink food dish beer wine coin note bill weapon software".split())
"""Nouns of things whose parts have no parts that anybody would count."""
NO_ROOMS = frozenset("railway road highway canal dam bridge statue monument lighthouse station".split())
MACHINES = frozenset(
    "car machine device aircraft ship engine vehicle computer phone smartphone weapon detector".split()
)
PIECES = "how many single pieces make up each section of each part of {s}"
"""What is asked of buildings without rooms."""

MAKING = frozenset(
    "write compose direct produce design build paint invent create develop conduct record draw edit carve "
    "make translate sculpt".split()
)
"""What takes time that could be told by the hour."""
