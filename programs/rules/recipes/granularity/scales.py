"""What recipes of HIGH say of each kind of subject; '{s}' stands for the subject as the question writes it."""

from types import MappingProxyType

from demur.programs.rules.subjects import SubjectKind

K = SubjectKind

MOLECULES = MappingProxyType(
    {
        K.FILM: ("what is the chemical structure of each single molecule in the first print of {s}",),
        K.SHOW: ("which molecules met which on the set of {s} while it was being shot",),
        K.STAGE: ("which molecules of air did each voice set in motion at the first performance of {s}",),
        K.SONG: ("which molecules of air did the first sounding of {s} set in motion, one by one",
                 "what was the amino acid sequence of the proteins in the vocal cords that first sang {s}"),
        K.ALBUM: ("what is the order of the polymer chains in the first pressing of {s}",),
        K.BOOK: ("what is the molecular structure of the ink in the first copy of {s}",),
        K.GAME: ("how are the molecules arranged on the disc that held the first copy of {s}",),
        K.CHARACTER: ("what is the order of amino acids in each protein of {s}",),
        K.PERSON: ("what was the order of amino acids in each protein in the body of {s}",
                   "how many molecules of haemoglobin did the blood of {s} hold"),
        K.PEOPLE: ("what is the order of amino acids in each protein in the bodies of {s}",),
        K.PLACE: ("what is the molecular structure of each single grain of soil in {s}",),
        K.COUNTRY: ("what is the molecular structure of each single grain of soil in {s}",),
        K.LANDFORM: ("what is the molecular structure of each single grain of sand at {s}",),
        K.BUILDING: ("how are the molecules arranged in each single brick of {s}",),
        K.TEAM: ("what is the order of amino acids in the muscle proteins of each member of {s}",),
        K.BAND: ("what is the order of amino acids in the vocal cord proteins of each member of {s}",),
        K.COMPANY: ("which molecules does each single item ever handled by {s} consist of",),
        K.INSTITUTION: ("what is the order of amino acids in each protein of each member of {s}",),
        K.CONTEST: ("how many molecules of oxygen did each participant in {s} take in with each breath",),
        K.EVENT: ("how many molecules of oxygen did each participant in {s} take in with each breath",),
        K.LAW: ("what is the molecular structure of the ink with which {s} was first written down",),
        K.ORGANISM: ("what is the order of amino acids in each single protein of {s}",),
        K.BODY: ("what is the order of amino acids in each single protein of {s}",),
        K.PRODUCT: ("how are the molecules arranged on each single surface of {s}",),
        K.THING: ("what happens to each single molecule that is touched by anything to do with {s}",),
    }
)  # fmt: skip

GLOBAL_AVERAGE = MappingProxyType(
    {
        K.FILM: "length of a film",
        K.SHOW: "number of episodes of a television show",
        K.STAGE: "length of a stage work",
        K.SONG: "length of a song",
        K.ALBUM: "number of tracks on an album",
        K.BOOK: "number of pages in a book",
        K.GAME: "time that people spend on a game",
        K.CHARACTER: "age of all the characters in fiction",
        K.PERSON: "length of a human life",
        K.PEOPLE: "size of a people",
        K.PLACE: "number of people living in one place",
        K.COUNTRY: "income of a human being",
        K.LANDFORM: "size of all {k}",
        K.BUILDING: "height of a building",
        K.TEAM: "number of members of a team",
        K.BAND: "number of members of a band",
        K.COMPANY: "number of people working for a company",
        K.INSTITUTION: "number of members of an institution",
        K.CONTEST: "number of spectators at a contest",
        K.EVENT: "number of people taking part in an event",
        K.LAW: "number of laws in force per country",
        K.ORGANISM: "body weight of a living thing",
        K.BODY: "number of cells in a living body",
        K.PRODUCT: "number of such things per household",
    }
)

MILLISECONDS = MappingProxyType(
    {
        K.PERSON: "what did {s} do in each single millisecond of a whole century",
        K.PLACE: "what has happened in {s} in each single millisecond since its beginnings",
        K.COUNTRY: "what has happened in {s} in each single millisecond since its beginnings",
        K.LANDFORM: "how has {s} changed from each single millisecond to the next since its beginnings",
        K.CONTEST: "what happened in each single millisecond of the whole history of {s}",
        K.EVENT: "what happened in each single millisecond of {s} and of the century around it",
        K.THING: "what happened in each single millisecond of the whole history of {s}",
    }
)

PARTICLES = MappingProxyType(
    {
        K.FILM: "what was the quantum state of each single atom in the camera when {s} was shot",
        K.SHOW: "what was the quantum state of each single atom in the studio where {s} was made",
        K.STAGE: "where was each single atom of the stage at the first performance of {s}",
        K.SONG: "where was each single atom of the microphone when {s} was recorded",
        K.ALBUM: "where was each single atom of the studio when {s} was recorded",
        K.BOOK: "what is the position of each single electron in the first copy of {s}",
        K.GAME: "what is the position of each single electron in the first copy of {s}",
        K.CHARACTER: "what is the position of each single electron in the body of {s}",
        K.PERSON: "what was the position of each single electron in the body of {s}",
        K.CONTEST: "where was each single atom of the air at the opening of {s}",
        K.EVENT: "where was each single atom of the air at the beginning of {s}",
        K.LAW: "what is the position of each single electron in the paper on which {s} was first written",
        K.THING: "what is the quantum state of each single atom that has anything to do with {s}",
        K.TEAM: "what is the position of each single electron in the bodies of all members of {s}",
        K.BAND: "what is the position of each single electron in the bodies of all members of {s}",
        K.COMPANY: "what is the position of each single electron in everything that belongs to {s}",
        K.INSTITUTION: "what is the position of each single electron in everything that belongs to {s}",
    }
)
"""Questions at the scale of particles; kinds that are not listed are things with a body of their own."""

DEEP_TIME = (
    "judging by {s}, what was the course of all life on earth, epoch by epoch, over the past four billion years",
    "what does {s} tell us about how the universe developed, million years by million years, since it began",
)
