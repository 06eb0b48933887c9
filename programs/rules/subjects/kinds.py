"""What kind of thing a subject is (a film, a town, a war), told from the noun that names its kind."""

from enum import StrEnum
from types import MappingProxyType


class SubjectKind(StrEnum):
    """The kinds of subject for which recipes have words of their own; THING is everything else."""

    FILM = "film"
    SHOW = "show"
    STAGE = "stage work"
    SONG = "song"
    ALBUM = "album"
    BOOK = "book"
    GAME = "game"
    CHARACTER = "character"
    PERSON = "person"
    PEOPLE = "people"
    PLACE = "place"
    LANDFORM = "landform"
    COUNTRY = "country"
    BUILDING = "building"
    TEAM = "team"
    BAND = "band"
    COMPANY = "company"
    INSTITUTION = "institution"
    CONTEST = "contest"
    EVENT = "event"
    LAW = "law"
    ORGANISM = "organism"
    BODY = "body"
    PRODUCT = "product"
    THING = "thing"


_NOUNS: dict[SubjectKind, str] = {
    SubjectKind.FILM: "film movie documentary western flick",
    SubjectKind.SHOW: "series sitcom show telenovela programme program anime soap miniseries episode cartoon",
    SubjectKind.STAGE: "musical opera play ballet operetta",
    SubjectKind.SONG: "song single hymn anthem ballad carol track tune",
    SubjectKind.ALBUM: "album ep soundtrack compilation mixtape",
    SubjectKind.BOOK: "book novel epistle poem memoir magazine newspaper journal comic manga novella gospel trilogy",
    SubjectKind.GAME: "videogame",
    SubjectKind.CHARACTER: "character superhero villain antagonist protagonist",
    SubjectKind.PERSON: (
        "actor actress singer musician rapper author writer poet novelist politician footballer boxer player director "
        "producer painter artist scientist physicist philosopher astronomer composer songwriter screenwriter "
        "king queen "
        "emperor president general explorer conquistador inventor engineer businessman businesswoman journalist "
        "comedian model wrestler cricketer swimmer athlete coach economist mathematician historian governor senator "
        "anthropologist psychologist lawyer judge saint prophet dancer guitarist drummer bassist entrepreneur "
        "entertainer filmmaker architect monarch statesman theologian bishop pope minister cinematographer playwright "
        "illustrator petrologist pharmacist researcher teacher farmer immigrant enthusiast secretary astronaut doctor "
        "nurse "
        "worker racer driver basketballer goalkeeper striker midfielder wrestler soldier officer editor chef critic"
    ),
    SubjectKind.PEOPLE: "tribe tribes people peoples nation ethnic settlers pilgrims",
    SubjectKind.PLACE: (
        "city town village county state province region district borough municipality suburb neighbourhood "
        "neighborhood "
        "territory commune settlement community township prefecture capital continent"
    ),
    SubjectKind.LANDFORM: (
        "river lake mountain valley desert ocean sea peninsula waterfall bay beach island archipelago volcano "
        "glacier reef"
    ),
    SubjectKind.COUNTRY: "country republic kingdom empire",
    SubjectKind.BUILDING: (
        "building arena stadium church cathedral airport bridge museum hotel castle palace tower skyscraper theatre "
        "theater ballpark mansion estate station hall temple monastery abbey mall courthouse library lighthouse "
        "restaurant cinema venue dam canal railway road highway statue monument fort"
    ),
    SubjectKind.TEAM: "team club franchise side squad",
    SubjectKind.BAND: "band duo trio quartet group orchestra choir",
    SubjectKind.COMPANY: (
        "company corporation manufacturer retailer brand bank airline chain subsidiary publisher label "
        "conglomerate firm "
        "network broadcaster studio supermarket brewery"
    ),
    SubjectKind.INSTITUTION: (
        "university college school institute academy organization organisation agency association committee council "
        "parliament party church government army navy union federation foundation hospital charity court ministry "
        "diocese congress legislature society forum institution"
    ),
    SubjectKind.CONTEST: (
        "match game final finals tournament championship cup league race election season olympics olympiad "
        "games bowl super draft "
        "playoffs trophy contest bout rumble"
    ),
    SubjectKind.EVENT: (
        "war battle siege revolution treaty expedition conquest invasion festival strike riot uprising mission voyage "
        "disaster earthquake attack massacre massacre protest protests event convention ceremony movement period era"
    ),
    SubjectKind.LAW: "act law order case statute amendment constitution ruling decision clause",
    SubjectKind.ORGANISM: (
        "species animal bird fish plant tree shark salmon dog cat genus flower insect mammal fungus bacterium "
        "virus reptile "
        "breed fruit crop grain herb shrub vine"
    ),
    SubjectKind.BODY: "cell cells organ tissue muscle nerve bone blood gland hormone enzyme protein neuron "
    "artery skin finger",
    SubjectKind.PRODUCT: (
        "ship car vehicle biplane airplane aeroplane plane helicopter locomotive submarine "
        "smartphone phone computer device machine software aircraft ship weapon engine wheel "
        "instrument drink "
        "food dish beer wine umbrella detector chip processor bed tool coin note bill"
    ),
}

KIND_OF_NOUN = MappingProxyType({noun: kind for kind, nouns in reversed(_NOUNS.items()) for noun in nouns.split()})
"""Kind by singular noun, first kind that claims it; plurals are looked up by their singular."""

WORKS = frozenset(
    {SubjectKind.FILM, SubjectKind.SHOW, SubjectKind.STAGE, SubjectKind.SONG, SubjectKind.ALBUM, SubjectKind.BOOK,
     SubjectKind.GAME}
)  # fmt: skip
"""Kinds made by people to be seen, heard, read or played."""

LIVING = frozenset({SubjectKind.PERSON, SubjectKind.PEOPLE, SubjectKind.ORGANISM, SubjectKind.BODY})
"""Kinds that have a genome."""

PLACES = frozenset({SubjectKind.PLACE, SubjectKind.LANDFORM, SubjectKind.COUNTRY, SubjectKind.BUILDING})
"""Kinds that have an address on the map."""
