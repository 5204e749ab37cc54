"""English words that the rules know, and nothing but words: which say the same, which the opposite,
which deny, hedge or count.

Everyday English, kept short on purpose: a wording that is missing here makes a true claim "not
found", never a false one "stated".
"""

MUSIC = frozenset("song songs opera symphony music melody anthem concerto".split())
"""Beside one, who wrote has composed."""
WORKS_BY = (
    ("direct directed", "film movie documentary"),
    ("perform sing record", "song single album track version cover"),
    ("compose", "song opera symphony music piece"),
    ("write author", "book novel story poem play article report song screenplay script"),
    ("paint draw", "painting portrait drawing"),
)
"""What is done to a work by the one whom "by" names behind it: a film by its director."""

# -------------------------------------------------------------------------------------------- forms

PAST_FORMS = """
have:had; do:did done; go:went gone; say:said; make:made; take:took taken; give:gave given;
write:wrote written; sing:sang sung; speak:spoke spoken; break:broke broken; choose:chose chosen;
rise:rose risen; fall:fell fallen; drive:drove driven; fly:flew flown; grow:grew grown; know:knew
known; throw:threw thrown; draw:drew drawn; show:showed shown; see:saw seen; come:came;
become:became; run:ran; begin:began begun; drink:drank drunk; win:won; lose:lost; find:found;
fight:fought; buy:bought; bring:brought; think:thought; teach:taught; catch:caught; seek:sought;
sell:sold; tell:told; hold:held; stand:stood; understand:understood; get:got gotten; meet:met;
lead:led; feed:fed; read:read; send:sent; spend:spent; lend:lent; build:built; leave:left;
feel:felt; keep:kept; sleep:slept; sweep:swept; deal:dealt; mean:meant; hear:heard; pay:paid;
lay:laid; freeze:froze frozen; steal:stole stolen; wear:wore worn; swear:swore sworn; tear:tore
torn; shoot:shot; strike:struck; stick:stuck; swing:swung; hang:hung; sink:sank sunk;
shrink:shrank shrunk; swim:swam swum; bear:bore borne; blow:blew blown; eat:ate eaten; hide:hid
hidden; bite:bit bitten; bind:bound; sit:sat; light:lit; slide:slid; forget:forgot forgotten;
wake:woke woken
"""
"""The past, and the participle where it differs."""
OTHER_FORMS = """
be:am is are was were been; have:has having; do:does doing; go:goes; say:says; die:dies died
dying; lie:lying; marry:married marries; bury:buried buries; man:men; woman:women; child:children;
wife:wives; person:people
"""
# ----------------------------------------------------------------------------------------- meanings

SAME = """
direct director directorial direction
compose composer composition music score soundtrack
write writer author authored pen penned wrote written
perform performer performance sing singer sung vocal vocalist
record recording
produce producer production
create creator creation devise conceive invent inventor develop developer
found founded founder establish establishment start form formed formation
publish publisher publication
release premiere issue
father dad
mother mum mom
resign resignation quit
ceo
fire dismiss sack dismissal
hire employ appoint appointment recruit
explode explosion burst blast
buy purchase acquire acquisition
sell sale
close shut
open opening
begin start commence
stop halt cease
end finish conclude
increase rise grow climb raise
decrease fall drop decline reduce lower cut
bury burial inter interred grave tomb
say state tell report note mention remark announce
ask question inquire query
agree accept consent approve approval
refuse reject decline deny denial
help assist aid support
show display indicate read
lose loss
leak vent
break fail failure
build construct construction
join member
lead leader head chair
discover discovery discoverer
locate situate
big large huge
small little tiny
fast quick rapid
investor shareholder
film movie picture
company firm
doctor physician
car vehicle automobile
money fund funding
"""
RELATED = """
study student educate education attend graduate degree alumnus alumna alumni university school college
work employ employee hire job staff professor serve teach lecturer join
receive win recipient award honour honor earn winner laureate prize
marry marriage wife husband spouse consort wed wedding widow widower
die death dead deceased kill murder execute assassinate drown perish suicide
born birth native
"""
"""Alike, but not in who does what to whom: to employ is to be worked for."""
PHRASES = """
stepped down: resigned; steps down: resigns; step down: resign; stepping down: resigning; chief
executive officer: ceo; chief executive: ceo; set up: founded; blew up: exploded; blown up:
exploded; blow up: explode; co-founded: founded; co-founder: founder; cofounded: founded; passed
away: died; turned down: rejected; shut down: shutdown; let go: fired; due to: because; owing to:
because; because of: because; in spite of: despite; anything but: not; far from: not; used to be:
formerly; make sure: must; it is wrong to say: deny; it is not true: deny; at least: over; at
most: under; co-wrote: wrote; co-written: written; co-directed: directed; co-produced: produced
"""
OPPOSITE = """
open close; on off; increase decrease; rise fall; start stop; begin end; accept reject; agree
disagree; agree refuse; win lose; buy sell; before after; above below; more less; more fewer; high
low; first last; hire fire; pass fail; allow forbid; allow prevent; true false; safe unsafe;
connect disconnect; enable disable; lock unlock; arrive leave; arrive depart; enter leave; enter
exit; up down; in out; inside outside; early late; hot cold; full empty; guilty innocent; same
different; support oppose; approve reject; remember forget; appear disappear; import export;
majority minority; public private; north south; east west; positive negative; maximum minimum;
alive dead; because despite; possible impossible; legal illegal; normal abnormal; good bad; better
worse; best worst; fast slow; large small; big small; strong weak; rich poor
"""
COMPARED = """
fast slow; quick slow; large small; big small; long short; tall short; high low; strong weak;
heavy light; hot cold; hot cool; warm cold; warm cool; rich poor; wide narrow; thick thin; deep
shallow; early late; easy hard; hard soft; bright dark; old young; old new; loud quiet
"""
"""Opposites where things are compared: faster, slower; fastest, slowest."""
# ----------------------------------------------------------------------- moods, small words, titles

NEGATIONS = frozenset(
    """
        not no never none nobody nothing neither nor without cannot hardly nowhere negative unable
    """.split()
)
DENIALS, FAILURES, UNTRUE = (
    "deny doubt dispute refute".split(),
    "refuse fail".split(),
    frozenset("false untrue lie myth".split()),
)
POSSIBLE = frozenset(
    "may might could perhaps maybe possibly probably likely apparently seem appear suspect believe"
    " think guess suppose imagine allegedly supposedly purportedly pretend rumour rumor fear dread"
    " worry".split()
)
FUTURE = frozenset("will shall plan intend expect propose schedule".split())
WANTED = frozenset(
    "want seek hope wish should ought must need recommend suggest let please try attempt".split()
)
ALMOST = frozenset("almost nearly virtually practically barely".split())
SELDOM = frozenset("rarely seldom occasionally sometimes".split())
FORMER = frozenset("formerly previously once originally".split())
CONDITIONAL = frozenset("if unless whether would".split())
UNIVERSAL = frozenset(
    "all every each always everyone everybody everything entire whole both".split()
)
EXCLUSIVE = frozenset("only sole solely alone exclusively".split())
MAJORITY = frozenset("most majority".split())
PRONOUNS = frozenset(
    "he she it they his her its their him them i we my our you your who which that this these those"
    " himself herself".split()
)
DETERMINERS = frozenset("a an the his her its their our my your this that these those".split())
ARTICLES = frozenset("a an the".split())
BE = frozenset("am is are was were be been being".split())
AUXILIARIES = BE | frozenset(
    "has have had do does did will would shall should can could may might must".split()
)
SAYING = tuple(
    "say state report tell note remark mention reply answer add announce explain confirm".split()
)
ASKING = tuple("ask wonder inquire".split())
THINKING = tuple("think believe suggest argue claim".split())
"""Verbs behind which stands what somebody says, asks or holds true."""
TITLES = frozenset("mr mrs ms dr prof sir captain president senator".split())
MALE = frozenset(
    "king prince duke sir lord count emperor earl baron tsar sultan emir mr father he his him"
    " husband brother actor".split()
)
FEMALE = frozenset(
    "queen princess duchess lady empress countess dame baroness tsarina mrs ms miss mother she her"
    " wife sister actress widow".split()
)
# -------------------------------------------------------------------------------------- short forms

CONTRACTIONS = {
    "can't": "can not",
    "won't": "will not",
    "n't": " not",
    "'ll": " will",
    "'ve": " have",
    "'re": " are",
    "'m": " am",
}
CUT_SHORT = {"Ca": "Can", "Wo": "Will"}

# ----------------------------------------------------------------------------- sentences that go on

LEANING = (PRONOUNS - frozenset("i we my our you your who which that".split())) | frozenset(
    "each both another such same".split()
)
"""A sentence that opens with one is read with the sentence before."""
JOINING = frozenset("and but so or then because there".split())

# ---------------------------------------------------------------------- checks of words and objects

PUT_TOGETHER = "citizen national nationality located situated".split()
"""Said by putting two names together: a German actor is a citizen of Germany."""
WORKS = frozenset(
    "film movie album song single novel book series game opera play record show documentary".split()
)
CONVERSE = "buy sell purchase win lose import export".split()
"""Who sold to whom says who bought of whom: the opposite verb may say the same of the other."""
DEGREES = frozenset("more less fewer worse".split())
OPPOSED_PREPOSITIONS = frozenset(
    (
        ("for", "against"),
        ("from", "to"),
        ("by", "to"),
        ("before", "after"),
        ("above", "below"),
        ("over", "under"),
        ("into", "from"),
        ("with", "without"),
        ("until", "after"),
        ("since", "until"),
        ("inside", "outside"),
        ("within", "after"),
        ("in", "before"),
        ("in", "after"),
        ("in", "since"),
        ("in", "until"),
        ("on", "before"),
        ("on", "after"),
        ("by", "after"),
    )
)
GOVERNING = frozenset(
    "in on at of to for by with from about as into after before during since until against under"
    " over near".split()
)
"""Prepositions: behind one stands no object of the verb."""
OPENS_STATEMENT = frozenset(
    "who whom whose which while whereas although though because when where if unless so".split()
)
TIMES = frozenset("before after until since".split())
JOINS = frozenset("and or but then , also not never later only just both".split())
OBJECT_PRONOUNS = frozenset(("which", "that", "whom", "what"))

# -------------------------------------------------------------------------------------- who does it

BEFORE_VERBS = frozenset("to quite very also still just so too only able likely".split())
ENDS_AGENT = frozenset(
    "with from for about in on at based that as after during starring stars featuring who which"
    " where when".split()
)
KIN_DOWN = frozenset("son sons daughter daughters child children offspring".split())
KIN_UP = frozenset("father mother parent parents fathers mothers".split())
KIN_FAR = frozenset(
    "grandson granddaughter grandfather grandmother nephew niece uncle aunt cousin stepson"
    " stepfather stepmother".split()
)
KIN_SIDE = frozenset("wife husband spouse brother sister sibling married".split())

# -------------------------------------------------------------------------------- clauses and names

CONJUNCTIONS = frozenset(
    """
        but while whereas although though because who whom whose which where when after before until
    """.split()
)
NAME_CONNECTORS = frozenset(
    "of the de da do du des del della di la le les van von der den bin ibn al el y e and & - ' ."
    " los las san st".split()
)
NAME_ENDINGS = frozenset(
    "n an ian ean ese ish i ic s es y ans ians ny na nian dian ican vian tian sh ch ia a ya ese ais"
    " ine ien".split()
)
DEMONYMS = """
french france; dutch netherlands; spanish spain; swiss switzerland; british britain; english
england; danish denmark; polish poland; turkish turkey; greek greece; irish ireland; welsh wales;
scottish scotland; filipino philippines; norwegian norway; thai thailand; chinese china; finnish
finland; swedish sweden; peruvian peru; czech czechia; afghan afghanistan; argentine argentina;
iraqi iraq
"""
"""What is of a country, where its name is spelt otherwise."""

# ----------------------------------------------------------------------------------- how it is said

HEARSAY = ("reportedly", "some say", "people say", "they say", "is said to", "was said to")
BACKSHIFTED = frozenset(("could", "would"))
"""What can and will become where somebody's words are reported."""
LITTLE_WORDS = frozenset(
    "really very quite all still also just actually now already ever always often too so do does"
    " did um uh".split()
)
LIST_MARKS = frozenset("but and or , ;".split())
"""Before a word whose subject or verb stands further ahead."""
OPENS_OBJECT = frozenset(
    "the a an this that these those your my our it them him her me us all".split()
)

# ------------------------------------------------------------------------------- parts of sentences

SUBJECT_PRONOUNS = frozenset("it he she they we i you there".split())
RELATIVE = frozenset(("which", "who", "that"))
ADVERBS = frozenset(
    "not never also then later now only just already still even finally soon again often instead".split()
)
OPENS_NO_SUBJECT = frozenset(
    "to in on at of for by with from into if when while whereas although though unless because"
    " since as after before once until neither either both nor or than".split()
)

TELLS = frozenset(
    "said says told asked reported stated according announced replied confirmed".split()
)

PLACE_QUALIFIERS = frozenset(
    "new north south east west northern southern eastern western northeast northwest southeast"
    " southwest".split()
)
"""Before a place's name they make another place of it: New York is not York."""

# ------------------------------------------------------------------------------------------ numbers

UNITS = """
percent: % percent pct; volt: v volt volts; amp: a amp amps ampere amperes; watt: w watt watts;
dollar: $ dollar dollars usd; euro: € euro euros; pound: £ pound pounds lb lbs; kilometre: km
kilometer kilometers kilometre kilometres; metre: m meter meters metre metres; mile: mi mile
miles; foot: ft foot feet; second: s sec secs second seconds; minute: min mins minute minutes;
hour: h hr hrs hour hours; day: day days; week: week weeks; month: month months; year: year years;
degree: ° degree degrees; kilogram: kg kilogram kilograms; psi: psi; hertz: hz hertz; knot: knot
knots
"""
SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "k": 1e3,
    "bn": 1e9,
}
NUMBERS_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
