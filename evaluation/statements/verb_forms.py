"""Forms of English verbs, as far as a table and safe rules know them: for sentences that are
changed by one word.

Own rules because no library fits: inflectors guess at any word, and the lemmatizers of nltk and
spaCy need data that must be fetched first. Here a word that is not known is left alone.
"""

from dynagrag.language.words import COMMON_VERBS, word_set

_IRREGULAR = """
    be was been | bear bore born | become became become | begin began begun | bend bent bent | blow blew blown | break broke broken |
    bring brought brought | build built built | burn burnt burnt | buy bought bought | catch caught caught | choose chose chosen | come
    came come | cost cost cost | cut cut cut | deal dealt dealt | do did done | draw drew drawn | drive drove driven | eat ate eaten |
    fall fell fallen | feed fed fed | feel felt felt | fight fought fought | find found found | fly flew flown | forget forgot forgotten |
    get got got | give gave given | go went gone | grow grew grown | have had had | hear heard heard | hit hit hit | hold held held | hurt
    hurt hurt | keep kept kept | know knew known | lead led led | leave left left | lend lent lent | let let let | lose lost lost | make
    made made | mean meant meant | meet met met | pay paid paid | put put put | read read read | ride rode ridden | ring rang rung | rise
    rose risen | run ran run | say said said | see saw seen | sell sold sold | send sent sent | set set set | shake shook shaken | show
    showed shown | shut shut shut | sing sang sung | sit sat sat | sleep slept slept | speak spoke spoken | spend spent spent | spin spun
    spun | split split split | stand stood stood | steal stole stolen | stick stuck stuck | strike struck struck | swim swam swum | take
    took taken | teach taught taught | tear tore torn | tell told told | think thought thought | throw threw thrown | understand
    understood understood | wake woke woken | wear wore worn | win won won | write wrote written
"""
_REGULAR = word_set("""
    accept acquire act add admit adopt advise affect agree align allow analyse announce answer appear apply appoint approach approve
    argue arrange arrive ask assign assist attach attack attempt attend award back balance believe belong boost bother call cancel
    capture carry cause change charge check claim clean clear climb close collect combine command comment commit compare compete
    complain complete compose compute concern conclude conduct confirm connect consider consist contact contain continue contribute
    control convert convince cool copy correct correspond count cover crash create cross damage dance date decide declare decline
    decrease defeat define delay deliver demand demonstrate deny depend deploy describe deserve design destroy detect determine develop
    die differ direct disagree disappear disconnect discover discuss display divide dock double doubt draft drop dump earn edit elect
    eliminate employ enable encourage end enforce engage enjoy enter establish estimate evaluate examine exceed exchange exist expand
    expect experience explain explode explore expose express extend fail feature figure file fill film finance finish fire fix flow
    focus follow force form found free freeze fund gather generate graduate grant guarantee guide handle happen hate head heat help hire
    hope identify ignore imagine implement import improve include increase indicate influence inform inspect inspire install intend
    introduce invent invest invite involve isolate issue join judge jump justify kick kill label lack land last laugh launch learn
    license lift like limit link list listen live load locate lock look love lower maintain manage mark marry match matter measure
    mention merge miss mix monitor motivate move name need note notice obtain occur offer open operate oppose order organize own park
    participate pass perform permit pick place plan play point possess power practise predict prefer prepare present press pressurize
    prevent print proceed process produce promise promote propose protect prove provide publish pull pump purchase push question raise
    rate reach react realize receive recognize recommend record recover reduce refer reflect refuse regard reject relate release remain
    remember remind remove rename repair repeat replace report represent request require research reset resign resolve respond rest
    restore result retire return reveal review reward rise roll rotate sail save scan schedule score screen search secure seem select
    separate serve settle share shift sign sound stage start state stay stir stop store study subject submit succeed suffer suggest
    supply support suppose surprise survive suspect switch talk target tend terminate test thank touch trace track trade train transfer
    transform translate transmit transport travel treat trigger trip try turn type update upgrade uplink use vary verify view visit vote
    wait walk want warn wash watch welcome wish wonder work worry
""")
_ROWS = [tuple(row.split()) for row in " ".join(_IRREGULAR.split()).split("|")]
_PAST = {past: base for base, past, _ in _ROWS}
_PARTICIPLES = {participle: base for base, _, participle in _ROWS}
_PARTICIPLE_OF = {past: participle for _, past, participle in _ROWS}
_THIRD = {"has": "have", "does": "do"}
_NO_VERB = word_set(
    "indeed need speed feed seed embed red bed hundred shed sacred wicked naked aged united"
)
"""Words in -ed that are no past of the kind."""
BASES = frozenset(base for base, _, _ in _ROWS) | _REGULAR
"""Verbs as they stand after `to`."""
NO_SWAP = word_set("""
    be come came coming have do go get say think know mean see let want need try use like seem suppose gonna got been had done gone going
    saying thinking having getting doing being seeing
""")
"""Verbs that say too little by themselves: another in their place may say the same."""


_ALIKE = [
    word_set(words)
    for words in (
        "get receive obtain acquire buy purchase take",
        "say tell report state mention note explain",
        "see look notice watch find detect discover",
        "start begin launch open",
        "stop end finish close shut complete terminate",
        "want need require demand request ask",
        "think believe guess suppose assume expect feel consider",
        "give send provide deliver supply offer transmit",
        "put place set install load",
        "show display demonstrate indicate reveal present",
        "try attempt",
        "keep hold maintain stay remain continue",
        "make build create produce develop generate form",
        "change alter vary shift convert",
        "fix repair correct",
        "check verify confirm test inspect examine",
        "use employ apply",
        "help support assist",
        "talk speak discuss",
        "move transfer shift go",
        "increase raise lift boost",
        "decrease lower reduce drop",
        "happen occur",
        "decide choose select pick",
        "call name",
        "lead head direct guide manage",
        "write compose record",
        "read study review",
        "know understand realize",
        "agree accept approve",
        "like love enjoy prefer",
        "work operate run perform",
        "fail break crash",
        "leave depart go",
        "arrive come reach",
    )
]


def alike(base: str) -> frozenset[str]:
    """Verbs that may say the same, itself among them."""
    return frozenset([base]).union(*(group for group in _ALIKE if base in group))


def base_of_past(word: str) -> str | None:
    """`open` of opened, `go` of went; None where the word is no past that is known."""
    if word in _PAST:
        return _PAST[word]
    if not word.endswith("ed") or word in _NO_VERB:
        return None
    doubled = word[:-3] if len(word) > 4 and word[-3] == word[-4] else ""
    candidates = (word[:-2], word[:-1], doubled, f"{word[:-3]}y" if word.endswith("ied") else "")
    return next((base for base in candidates if base in _REGULAR), None)


def base_of_third(word: str) -> str | None:
    """`open` of opens, `try` of tries; None where it is not known."""
    if word in _THIRD or not word.endswith("s"):
        return _THIRD.get(word)
    candidates = (
        word[:-1],
        word[:-2] if word.endswith("es") else "",
        f"{word[:-3]}y" if word.endswith("ies") else "",
    )
    return next((base for base in candidates if base in BASES), None)


def participle_of_past(word: str) -> str | None:
    """`gone` of went, `opened` of opened; None where the word is no past."""
    if word in _PARTICIPLE_OF:
        return _PARTICIPLE_OF[word]
    return word if is_past(word) else None


def is_past(word: str) -> bool:
    """Whether it looks like a past, known or not."""
    return word in _PAST or (len(word) > 4 and word.endswith("ed") and word not in _NO_VERB)


def is_participle(word: str) -> bool:
    """Whether it looks like a past participle, known or not."""
    return word in _PARTICIPLES or (len(word) > 4 and word.endswith("ed") and word not in _NO_VERB)


def is_verb(word: str) -> bool:
    """Whether it is a form of a known verb."""
    return (
        word in BASES
        or word in COMMON_VERBS
        or is_past(word)
        or is_participle(word)
        or base_of_third(word) is not None
    )


def stem(word: str) -> str:
    """The base as far as it is known, so that forms of one verb are told to be of one; else the
    word without its ending.
    """
    known = base_of_past(word) or _PARTICIPLES.get(word) or base_of_third(word)
    if known or word in BASES:
        return known or word
    if word.endswith("ing"):
        return next((b for b in (word[:-3], f"{word[:-3]}e", word[:-4]) if b in BASES), word[:-3])
    return word
