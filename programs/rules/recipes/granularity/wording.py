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
        A.TIME: "follow the same timetable as {s}",
        A.LOCATION: "are found in the same kind of place as {s}",
        A.COUNT: "have the same number of {n} as {s}",
        A.POPULATION: "have as many inhabitants as {s}",
        A.PEOPLE: "are connected with the same kind of people as {s}",
        A.NATURE: "have the same {f} as {s}",
    }
)
"""What all members of a kind would have to do, by the aspect asked about; the subject is plural."""

LED = frozenset({K.PLACE, K.COUNTRY, K.TEAM, K.COMPANY, K.INSTITUTION})
"""Kinds that have somebody at their head."""

SAME_WAY_OF_PERSON = MappingProxyType(
    {
        A.TIME: "reach such points in their lives at the same age as {s}",
        A.LOCATION: "have ties to the same kind of place as {s}",
        A.COUNT: "have the same number of {n} as {s}",
        A.PEOPLE: "have the same kind of people around them as {s}",
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
        A.TIME: "the timing of {k}",
        A.LOCATION: "the location of {k}",
        A.COUNT: "the number of {n} in {k}",
        A.POPULATION: "the population of {k}",
        A.PEOPLE: "the kind of people connected with {k}",
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
        A.TIME: "the setting of dates",
        A.LOCATION: "the choice of locations",
        A.COUNT: "the number of {n}",
        A.POPULATION: "population",
        A.PEOPLE: "the choice of people",
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
        K.PERSON: "all the people around {s}",
        K.PLACE: "all the inhabitants of {s}",
        K.COUNTRY: "all the people of {s}",
        K.PEOPLE: "all of {s}",
        K.BUILDING: "all those who have ever worked on {s}",
        K.TEAM: "all those who ever belonged to {s}",
        K.BAND: "all those who ever worked with {s}",
        K.COMPANY: "all those who ever worked for {s}",
        K.INSTITUTION: "all those who ever belonged to {s}",
        K.CONTEST: "all those who took part in {s}",
        K.EVENT: "all those who took part in {s}",
        K.LAW: "all those who had a hand in {s}",
        K.PRODUCT: "all those who worked on {s}",
        K.THING: "all the people who had to do with {s}",
    }
)

BREAKDOWN = MappingProxyType(
    {
        K.FILM: ("how many minutes of {s} does each single scene take up", "Scene by scene, the running time is as follows"),
        K.SHOW: ("how many viewers did each single broadcast of {s} have", "Broadcast by broadcast, the number of viewers was as follows"),
        K.STAGE: ("how many tickets were sold for each single performance of {s}", "Performance by performance, the tickets sold were as follows"),
        K.SONG: ("how many times was {s} played on each single day", "Day by day, the number of plays was as follows"),
        K.ALBUM: ("how many copies of {s} were sold on each single day", "Day by day, the copies sold were as follows"),
        K.BOOK: ("how many copies of {s} were sold in each single month", "Month by month, the copies sold were as follows"),
        K.GAME: ("how many copies of {s} were sold in each single month", "Month by month, the copies sold were as follows"),
        K.PERSON: ("how many days of each single year did {s} spend at work", "Year by year, the days of work were as follows"),
        K.PLACE: ("how many people live in each single street of {s}", "Street by street, the number of inhabitants is as follows"),
        K.COUNTRY: ("how many people live in each single town of {s}", "Town by town, the number of inhabitants is as follows"),
        K.BUILDING: ("how many visitors did {s} have on each single day", "Day by day, the number of visitors was as follows"),
        K.TEAM: ("how many points did each single player of {s} score", "Player by player, the points scored were as follows"),
        K.BAND: ("how many records did {s} sell in each single month", "Month by month, the records sold were as follows"),
        K.COMPANY: ("how much did {s} earn in each single month", "Month by month, the earnings were as follows"),
        K.INSTITUTION: ("how many people does each single department of {s} have", "Department by department, the number of people is as follows"),
        K.CONTEST: ("how many spectators did each single day of {s} have", "Day by day, the number of spectators was as follows"),
        K.EVENT: ("how many people took part in {s} on each single day", "Day by day, the number of people was as follows"),
        K.THING: ("how often was {s} mentioned in print in each single year", "Year by year, the number of mentions was as follows"),
        K.LAW: ("how many cases fell under each single section of {s}", "Section by section, the number of cases is as follows"),
    }
)  # fmt: skip
"""A question for every line of a breakdown, and the announcement of that breakdown."""

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
