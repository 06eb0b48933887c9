"""What recipes for granularity say of each kind of subject; '{s}' stands for the subject as the question writes it."""

from types import MappingProxyType

from programs.rules.subjects import Aspect, SubjectKind

K, A = SubjectKind, Aspect

SAME_WAY = MappingProxyType(
    {
        A.CASTING: "are cast in the same way as {s}",
        A.SINGING: "find their singers in the same way as {s}",
        A.WRITING: "come to be written in the same way as {s}",
        A.DIRECTING: "are directed in the same way as {s}",
        A.WINNING: "are won in the same way as {s}",
        A.RELEASE: "come out at the same time of year as {s}",
        A.FILMING: "are filmed in the same kind of place as {s}",
        A.TIME: "go back to the same time as {s}",
        A.LEADING: "are led in the same way as {s}",
        A.LOCATION: "are found in the same kind of place as {s}",
        A.COUNT: "have the same number of {n} as {s}",
        A.POPULATION: "have as many inhabitants as {s}",
        A.PEOPLE: "have the same kind of {f} as {s}",
        A.NATURE: "have the same {f} as {s}",
    }
)
"""What all members of a kind would have to do, by the aspect asked about; the subject is plural."""

SAME_WAY_OF_PERSON = MappingProxyType(
    {
        A.TIME: "reach such points in their lives at the same age as {s}",
        A.LOCATION: "have ties to the same kind of place as {s}",
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

UNITS = MappingProxyType(
    {
        K.FILM: "scene", K.SHOW: "episode", K.STAGE: "performance", K.SONG: "verse", K.ALBUM: "track",
        K.BOOK: "chapter",
        K.GAME: "level", K.CHARACTER: "scene", K.PERSON: "month", K.PEOPLE: "family", K.PLACE: "street",
        K.LANDFORM: "square mile", K.COUNTRY: "district", K.BUILDING: "room", K.TEAM: "player", K.BAND: "concert",
        K.COMPANY: "branch", K.INSTITUTION: "department", K.CONTEST: "minute of play", K.EVENT: "day", K.LAW: "clause",
        K.ORGANISM: "single animal or plant", K.BODY: "age group", K.PRODUCT: "model",
    }
)  # fmt: skip
"""The unit by which what is said of the whole could be broken down."""

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
