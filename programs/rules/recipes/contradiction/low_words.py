"""Word lists for peripheral clashes: soft opposites, short forms of first names, professions taken for one another."""

OPPOSITES: dict[str, str] = {
    "large": "modest", "larger": "modest", "big": "modest", "huge": "moderate", "small": "considerable",
    "famous": "little known", "popular": "overlooked", "significant": "slight",
    "important": "minor", "long": "brief", "short": "drawn-out",
    "successful": "disappointing", "simple": "intricate", "complex": "plain", "strong": "mild", "powerful": "feeble",
    "wealthy": "frugal", "notable": "unremarkable", "high": "moderate", "low": "considerable", "fast": "leisurely",
    "rare": "commonplace", "beautiful": "plain", "extensive": "narrow", "wide": "narrow", "broad": "narrow",
    "quick": "slow", "difficult": "manageable", "serious": "light-hearted", "warm": "cool", "cold": "mild",
    "hot": "pleasant", "controversial": "tame", "influential": "marginal", "prominent": "obscure",
    "dramatic": "subdued", "romantic": "sober", "comic": "solemn", "loud": "quiet", "affluent": "modest",
    "prestigious": "unassuming", "elaborate": "plain", "rapid": "gradual", "steep": "gentle", "unique": "familiar",
    "positive": "lukewarm", "rich": "meagre", "young": "mature", "serious-minded": "playful",
}  # fmt: skip

_SHORT = (
    "william:Bill robert:Bob richard:Dick james:Jim john:Jack charles:Charlie thomas:Tom michael:Mike david:Dave "
    "edward:Ned george:Georgie joseph:Joe daniel:Dan matthew:Matt christopher:Chris anthony:Tony andrew:Andy "
    "stephen:Steve steven:Steve kenneth:Ken ronald:Ron donald:Don timothy:Tim jeffrey:Jeff gregory:Greg "
    "benjamin:Ben samuel:Sam alexander:Alex nicholas:Nick patrick:Paddy peter:Pete philip:Phil phillip:Phil "
    "lawrence:Larry raymond:Ray walter:Walt henry:Harry arthur:Art albert:Bert frederick:Fred francis:Frank "
    "leonard:Len gerald:Gerry harold:Hal howard:Howie jonathan:Jon jacob:Jake nathaniel:Nat theodore:Ted "
    "eugene:Gene vincent:Vince douglas:Doug geoffrey:Geoff reginald:Reggie leonardo:Leo martin:Marty "
    "elizabeth:Liz margaret:Peggy katherine:Kate catherine:Cathy kathleen:Kathy jennifer:Jen jessica:Jess "
    "rebecca:Becky deborah:Deb debbie:Deb barbara:Barb susan:Sue patricia:Pat victoria:Vicky christine:Chris "
    "kristy:Kris amanda:Mandy samantha:Sam alexandra:Alex dorothy:Dot florence:Flo josephine:Jo pamela:Pam "
    "judith:Judy frances:Fran eleanor:Nell charlotte:Lottie isabella:Bella natalie:Nat stephanie:Steph "
    "jacqueline:Jackie theresa:Terry teresa:Terry valerie:Val diana:Di ann:Annie anne:Annie mary:Molly "
    "sarah:Sally joanna:Jo melissa:Mel melanie:Mel tyler:Ty billy:Will tommy:Tom bobby:Rob johnny:John jimmy:Jim "
    "jesse:Jess joshua:Josh zachary:Zach dave:David mike:Michael chris:Christopher tom:Thomas bill:William "
    "dan:Daniel bruce:Brucie phil:Philip bob:Robert jeff:Jeffrey rob:Robert john-paul:JP"
)
NICKNAMES: dict[str, str] = {name: short for name, _, short in (pair.partition(":") for pair in _SHORT.split())}

ROLES: dict[str, str] = {
    "actor": "comedian screenwriter dancer", "actress": "comedian dancer screenwriter",
    "singer": "dancer actor pianist", "songwriter": "arranger lyricist journalist",
    "musician": "dancer broadcaster", "director": "producer editor cinematographer",
    "producer": "editor manager agent", "writer": "translator publisher", "author": "publisher editor",
    "novelist": "critic translator", "poet": "critic translator", "journalist": "publisher printer",
    "politician": "diplomat lawyer", "lawyer": "notary diplomat", "president": "deputy adviser",
    "minister": "adviser secretary", "footballer": "coach referee", "player": "coach scout",
    "coach": "trainer scout", "physicist": "chemist astronomer", "chemist": "physicist physician",
    "scientist": "engineer physician", "philosopher": "theologian jurist", "historian": "archivist geographer",
    "engineer": "architect surveyor", "inventor": "watchmaker merchant", "astronaut": "pilot engineer",
    "general": "colonel adviser", "painter": "sculptor engraver", "architect": "surveyor engineer",
    "economist": "banker statistician", "businessman": "banker lawyer", "entrepreneur": "banker consultant",
    "professor": "lecturer librarian", "astronomer": "mathematician geographer", "comedian": "magician presenter",
    "composer": "conductor organist", "conductor": "composer violinist", "rapper": "drummer presenter",
    "broadcaster": "columnist printer", "explorer": "merchant cartographer", "officer": "clerk adviser",
}  # fmt: skip
