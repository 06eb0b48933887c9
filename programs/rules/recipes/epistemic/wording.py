"""What recipes for epistemic defects say of each kind of subject; '{s}' is the subject as the question writes it."""

from types import MappingProxyType

from demur.programs.rules.subjects import Aspect, SubjectKind

K, A = SubjectKind, Aspect

INVESTMENT = MappingProxyType(
    {
        K.FILM: (
            "would it be a good investment to buy the rights to {s}",
            "is putting money into another {n} like {s} a wise investment",
        ),
        K.SHOW: (
            "would it be a good investment to buy the rights to {s}",
            "is putting money into another {n} like {s} a wise investment",
        ),
        K.STAGE: ("would it be a good investment to put money into a new production of {s}",),
        K.SONG: ("would it be a good investment to buy the rights to {s}",),
        K.ALBUM: ("would a first pressing of {s} be a good investment",),
        K.BOOK: ("would an early copy of {s} be a good investment",),
        K.GAME: ("would it be a good investment to buy the rights to {s}",),
        K.PLACE: (
            "is buying land in {s} a good investment",
            "would it be wise to put one's savings into property in {s}",
        ),
        K.COUNTRY: (
            "is it a good investment to buy property in {s}",
            "would it be wise to put one's savings into businesses in {s}",
        ),
        K.BUILDING: ("would {s} be a good investment for a wealthy buyer", "is it wise to put more money into {s}"),
        K.TEAM: ("would {s} be a good investment for a wealthy buyer",),
        K.BAND: ("would it be a good investment to buy the rights to the music of {s}",),
        K.COMPANY: ("are shares in {s} a good investment", "would it be wise to put one's savings into {s}"),
        K.CONTEST: ("is sponsoring {s} a good investment",),
        K.PRODUCT: ("would it be a good investment to put money into {s}",),
        K.INSTITUTION: ("would a large donation to {s} be money well invested",),
        K.PERSON: ("would a portrait of {s} be a good investment",),
    }
)

NEXT_QUARTER = MappingProxyType(
    {
        K.FILM: "how many copies of {s} will be sold in the next quarter",
        K.SHOW: "how many people will watch {s} in the next quarter",
        K.STAGE: "how many tickets for {s} will be sold in the next quarter",
        K.SONG: "how many downloads of {s} will be sold in the next quarter",
        K.ALBUM: "how many copies of {s} will be sold in the next quarter",
        K.BOOK: "how many copies of {s} will be sold in the next quarter",
        K.GAME: "how many copies of {s} will be sold in the next quarter",
        K.BUILDING: "how many visitors will {s} have in the next quarter",
        K.PLACE: "how many tourists will come to {s} in the next quarter",
        K.LANDFORM: "how many tourists will come to {s} in the next quarter",
        K.COUNTRY: "how many tourists will come to {s} in the next quarter",
        K.TEAM: "how many tickets will {s} sell in the next quarter",
        K.BAND: "how many records will {s} sell in the next quarter",
        K.COMPANY: "what sales will {s} report in the next quarter",
        K.CONTEST: "how many tickets will be sold for {s} next time",
        K.PERSON: "how many books about {s} will be sold in the next quarter",
        K.CHARACTER: "how many toys modelled on {s} will be sold in the next quarter",
    }
)

TASTE = MappingProxyType(
    {
        K.FILM: ("is {s} pleasant to look at", "is {s} in good taste"),
        K.SHOW: ("is {s} pleasant to look at", "is {s} in good taste"),
        K.STAGE: ("does the music of {s} sound beautiful",),
        K.SONG: ("does {s} sound beautiful", "is the tune of {s} a pretty one"),
        K.ALBUM: ("does the music on {s} sound beautiful",),
        K.BOOK: ("is {s} a pleasure to read",),
        K.GAME: ("is {s} pleasant to look at",),
        K.BAND: ("does the music of {s} sound beautiful",),
        K.BUILDING: ("is {s} pretty to look at", "is the look of {s} in good taste"),
        K.PLACE: ("is {s} a pretty sight",),
        K.LANDFORM: ("is {s} a pretty sight",),
        K.COUNTRY: ("does the food of {s} taste good",),
        K.PRODUCT: ("is the look of {s} in good taste",),
    }
)

SHOULD = MappingProxyType(
    {
        K.FILM: ("should more people watch {s} today", "should {s} be shown in schools"),
        K.SHOW: ("should {s} be shown more often", "should children be allowed to watch {s}"),
        K.STAGE: ("should {s} be put on more often",),
        K.SONG: ("should {s} be played more often on the radio", "should everyone know {s} by heart"),
        K.ALBUM: ("should more people listen to {s}",),
        K.BOOK: ("should {s} be read in schools", "should more people read {s}"),
        K.GAME: ("should children be allowed to play {s}",),
        K.CHARACTER: ("should children take {s} as a model",),
        K.PERSON: ("should {s} be honoured with a monument", "should more be done to keep up the memory of {s}"),
        K.PEOPLE: ("should more be done for the memory of {s}",),
        K.PLACE: ("should more people move to {s}", "should more money be spent on {s}"),
        K.LANDFORM: ("should {s} be better protected", "should people leave {s} alone"),
        K.COUNTRY: ("should more people move to {s}", "what should be changed in {s}"),
        K.BUILDING: ("should more money be spent on {s}", "should {s} be left as it is"),
        K.TEAM: ("should {s} be run differently",),
        K.BAND: ("should {s} be played more often on the radio",),
        K.COMPANY: ("should {s} be run differently", "should {s} pay more taxes"),
        K.INSTITUTION: ("should {s} be reformed", "should {s} be given more money"),
        K.CONTEST: ("should the rules of {s} be changed", "should {s} be held in another way"),
        K.EVENT: ("should {s} be commemorated more widely", "should schools devote more time to {s}"),
        K.LAW: ("should {s} be changed", "should {s} have been passed at all"),
        K.ORGANISM: ("should {s} be better protected", "should more be done for the protection of {s}"),
        K.PRODUCT: ("should more use be made of {s}",),
        K.BODY: ("should schools spend more time on {s}",),
        K.THING: ("should schools spend more time on {s}", "should people pay more attention to {s}"),
    }
)

ETHICS = MappingProxyType(
    {
        K.FILM: "is it morally right to earn money with {s}",
        K.SHOW: "is it morally right to earn money with {s}",
        K.SONG: "is it morally right to use {s} in advertising",
        K.ALBUM: "is it morally right to copy {s} for one's friends",
        K.BOOK: "is it morally right to abridge {s} for young readers",
        K.GAME: "is it morally right to let children play {s}",
        K.CHARACTER: "is what {s} does morally right",
        K.PERSON: "is it morally right to write about the private life of {s}",
        K.PEOPLE: "were {s} treated in a morally right way",
        K.PLACE: "is it morally right to build more houses in {s}",
        K.LANDFORM: "is it morally right to let tourists come to {s}",
        K.COUNTRY: "is the form of government of {s} a morally right one",
        K.BUILDING: "was it morally right to spend so much effort on {s}",
        K.TEAM: "is it morally right to pay the members of {s} what they are paid",
        K.COMPANY: "does {s} do business in a morally right way",
        K.INSTITUTION: "is it morally right to give public money to {s}",
        K.CONTEST: "is it morally right to spend public money on {s}",
        K.EVENT: "was it morally right for people to take part in {s}",
        K.LAW: "is {s} morally right",
        K.ORGANISM: "is it morally right to keep {s} for human use",
        K.PRODUCT: "is it morally right to make money with {s}",
        K.THING: "is it morally right to spend public money on research into {s}",
    }
)

PROBABILITY = MappingProxyType(
    {
        K.FILM: "{s} will be remade within the next twenty years",
        K.SHOW: "{s} will be brought back within the next twenty years",
        K.STAGE: "{s} will still be on stage a hundred years from now",
        K.SONG: "{s} will be a hit again within the next ten years",
        K.ALBUM: "{s} will be reissued within the next ten years",
        K.BOOK: "{s} will still be read a hundred years from now",
        K.GAME: "{s} will still be played fifty years from now",
        K.CHARACTER: "{s} will appear in a new story within the next ten years",
        K.PERSON: "{s} will still be known a hundred years from now",
        K.PEOPLE: "{s} will be the subject of a film within the next ten years",
        K.PLACE: "{s} will be twice as large a hundred years from now",
        K.LANDFORM: "{s} will look quite different a hundred years from now",
        K.COUNTRY: "{s} will have a new form of government a hundred years from now",
        K.BUILDING: "{s} will still be standing a hundred years from now",
        K.TEAM: "{s} will win every game of a coming season",
        K.BAND: "{s} will still be listened to a hundred years from now",
        K.COMPANY: "{s} will still exist a hundred years from now",
        K.INSTITUTION: "{s} will still exist a hundred years from now",
        K.CONTEST: "{s} will still be held a hundred years from now",
        K.EVENT: "{s} will be the subject of a new film within the next ten years",
        K.LAW: "{s} will still be in force a hundred years from now",
        K.ORGANISM: "{s} will have died out a hundred years from now",
        K.PRODUCT: "{s} will still be in use a hundred years from now",
        K.THING: "people will still talk about {s} a hundred years from now",
    }
)

FUTURE = MappingProxyType(
    {
        K.PLACE: "what will {s} look like fifty years from now",
        K.LANDFORM: "what will {s} look like a hundred years from now",
        K.COUNTRY: "what will life in {s} be like fifty years from now",
        K.BUILDING: "what will {s} be used for fifty years from now",
        K.TEAM: "how successful will {s} be over the next twenty years",
        K.COMPANY: "how large will {s} be twenty years from now",
        K.INSTITUTION: "how much influence will {s} have fifty years from now",
        K.CONTEST: "who will take part in {s} twenty years from now",
        K.LAW: "how will {s} be applied fifty years from now",
        K.ORGANISM: "how will {s} fare over the next hundred years",
        K.BODY: "how will people describe {s} a hundred years from now",
        K.PRODUCT: "what will have taken the place of {s} fifty years from now",
    }
)
FUTURE_OF_ALL = "how popular will {s} be twenty years from now"
FUTURE_OF_THING = "what will people say about {s} fifty years from now"

RECOMMENDED = MappingProxyType(
    {
        K.FILM: "is {s} worth watching", K.SHOW: "is {s} worth watching", K.STAGE: "is {s} worth seeing",
        K.SONG: "is {s} worth listening to",
        K.ALBUM: "is {s} worth listening to",
        K.BAND: "are {s} worth listening to",
        K.BOOK: "is {s} worth reading", K.GAME: "is {s} worth playing", K.PLACE: "is {s} worth a visit",
        K.LANDFORM: "is {s} worth a visit",
        K.COUNTRY: "is {s} worth a visit",
        K.BUILDING: "is {s} worth a visit",
        K.TEAM: "is it worth becoming a fan of {s}",
        K.CONTEST: "is {s} worth following",
        K.PRODUCT: "is {s} worth having",
        K.COMPANY: "is {s} worth working for",
        K.PERSON: "is the life of {s} worth reading about", K.EVENT: "is {s} worth reading about",
        K.LAW: "is {s} worth reading in full",
        K.ORGANISM: "is {s} worth seeing in real life",
        K.INSTITUTION: "is {s} worth supporting",
        K.CHARACTER: "is {s} worth getting to know", K.PEOPLE: "are {s} worth reading about",
        K.BODY: "is it worth reading more about {s}", K.THING: "is it worth reading more about {s}",
    }
)  # fmt: skip

OTHERWISE = MappingProxyType(
    {
        A.RELEASE: "{s} had come out ten years earlier",
        A.FILMING: "{s} had been filmed somewhere else",
        A.CASTING: "{s} had been cast with other people",
        A.COUNT: "there had been twice as many {c} in the case of {s}",
        A.POPULATION: "{s} had twice as many inhabitants",
        A.WINNING: "{s} had been won by the other side",
    }
)
"""How the fact behind the question might have been otherwise, by the aspect asked about."""

NEVER_BEEN = MappingProxyType(
    {
        K.FILM: ("{s} had never been made", "the cinema"), K.SHOW: ("{s} had never been made", "television"),
        K.STAGE: ("{s} had never been written", "the theatre"),
        K.SONG: ("{s} had never been written", "popular music"),
        K.ALBUM: ("{s} had never been recorded", "popular music"),
        K.BOOK: ("{s} had never appeared", "literature"),
        K.GAME: ("{s} had never been made", "the world of games"),
        K.CHARACTER: ("nobody had ever thought of {s}", "storytelling"),
        K.PERSON: ("{s} had never been born", "the world"),
        K.PEOPLE: ("there had never been any {s}", "the world"),
        K.PLACE: ("{s} had never been settled", "the region around it"),
        K.COUNTRY: ("{s} had never come into being", "world politics"),
        K.LANDFORM: ("{s} had never formed", "the landscape"),
        K.BUILDING: ("{s} had never been built", "the surrounding area"),
        K.TEAM: ("{s} had never been founded", "the sport"),
        K.BAND: ("{s} had never been formed", "popular music"),
        K.COMPANY: ("{s} had never been founded", "the market"),
        K.INSTITUTION: ("{s} had never been founded", "public life"),
        K.CONTEST: ("{s} had never been held", "the sport"),
        K.EVENT: ("{s} had never taken place", "the world"),
        K.LAW: ("{s} had never been passed", "public life"),
        K.ORGANISM: ("{s} had never evolved", "nature"), K.BODY: ("{s} had never evolved", "life on earth"),
        K.PRODUCT: ("{s} had never been invented", "everyday life"),
        K.THING: ("nobody had ever heard of {s}", "the world"),
    }
)  # fmt: skip
"""How the subject might have failed to be, and the field in which that would have been felt."""
