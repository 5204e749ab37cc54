"""English words that the rules know: classes of the lexicon, and short lists of their own.

Everyday English, kept short on purpose: a wording that is missing here makes a true claim "not
found", never a false one "stated".
"""

import re

from dynagrag.language.english.data import groups_of, values_of, words_of
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import AUXILIARIES as COMMON_AUXILIARIES

# ----------------------------------------------------------------------- moods, small words, titles

NEGATIONS = words_of(WordClass.NEGATION, WordClass.NEAR_NEGATION)
DENIALS = words_of(WordClass.DENYING)
FAILURES = words_of(WordClass.FAILING)
UNTRUE = words_of(WordClass.UNTRUE)
POSSIBLE = words_of(WordClass.POSSIBLE)
FUTURE = words_of(WordClass.FUTURE)
WANTED = words_of(WordClass.WANTED)
ALMOST = words_of(WordClass.ALMOST)
SELDOM = words_of(WordClass.SELDOM)
FORMER = words_of(WordClass.FORMER)
RELATIVE_TIMES = frozenset("next last yesterday today tonight tomorrow".split())
"""When it is, told from the day on which it is said."""
CONDITIONAL = words_of(WordClass.CONDITIONAL)
UNIVERSAL = words_of(WordClass.UNIVERSAL)
EXCLUSIVE = words_of(WordClass.EXCLUSIVE)
MAJORITY = words_of(WordClass.MAJORITY)
PRONOUNS = words_of(WordClass.PRONOUN)
OF_SPEAKERS = words_of(WordClass.OF_SPEAKERS)
ARTICLES = words_of(WordClass.ARTICLE)
BE = words_of(WordClass.BE)
AUXILIARIES = COMMON_AUXILIARIES | {"shall"}
SAYING = words_of(WordClass.REPORTING)
ASKING = words_of(WordClass.QUESTIONING)
THINKING = words_of(WordClass.HOLDING_TRUE)
"""Verbs behind which stands what somebody says, asks or holds true."""
TITLES = words_of(WordClass.SHORT_TITLE)
MALE = words_of(WordClass.MALE)
FEMALE = words_of(WordClass.FEMALE)

# -------------------------------------------------------------------------------------- short forms

PHRASES = """
stepped down: resigned; steps down: resigns; step down: resign; stepping down: resigning; chief
executive officer: ceo; chief executive: ceo; set up: founded; blew up: exploded; blown up:
exploded; blow up: explode; co-founded: founded; co-founder: founder; cofounded: founded; passed
away: died; turned down: rejected; shut down: shutdown; let go: fired; due to: because; owing to:
because; because of: because; in spite of: despite; anything but: not; far from: not; used to be:
formerly; make sure: must; it is wrong to say: deny; it would be wrong to say: deny; it is not true:
deny; at least: over; at most: under; it is not the case: deny; it was not the case: deny; it was
not true: deny; it's not the case: deny; it's not true: deny; instead of: not; rather than: not; if
you ask me:
surely; if i remember right: surely; if i remember rightly: surely; if anything: surely; co-wrote:
wrote; co-written: written; co-directed: directed; co-produced: produced
"""
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
PLAIN_VERBS = words_of(WordClass.PLAIN_VERB)
WORKS = words_of(WordClass.WORK_OF_ART)
CONVERSE = "buy sell purchase win lose import export".split()
"""A sale is a purchase told from the other side: the opposite verb may say the same of the other.
"""
DEGREES = frozenset("more less fewer worse".split())
OPPOSED_PREPOSITIONS = frozenset(
    (one, other) for one, other in groups_of(GroupKind.OPPOSED_PREPOSITIONS)
)
GOVERNING = words_of(WordClass.GOVERNING)
"""Prepositions: behind one stands no object of the verb."""
OPENS_STATEMENT = words_of(WordClass.STATEMENT_OPENER)
TIMES = frozenset("before after until since".split())
JOINS = frozenset("and or but then , also not never later only just both".split())
OBJECT_PRONOUNS = frozenset(("which", "that", "whom", "what"))

# -------------------------------------------------------------------------------------- who does it

BEFORE_VERBS = words_of(WordClass.BEFORE_VERB)
ENDS_AGENT = words_of(WordClass.ENDS_AGENT)
KIN_DOWN = words_of(WordClass.KIN_DOWN)
KIN_UP = words_of(WordClass.KIN_UP)
KIN_FAR = words_of(WordClass.KIN_FAR)
KIN_SIDE = words_of(WordClass.KIN_SIDE)

MUSIC = frozenset("song songs opera symphony music melody anthem concerto".split())
"""Beside one, who wrote has composed."""
WORKS_BY = (
    ("direct directed", "film movie documentary"),
    ("perform sing record", "song single album track version cover"),
    ("compose", "song opera symphony music piece"),
    ("write author", "book novel story poem play article report song screenplay script"),
    ("paint draw", "painting portrait drawing"),
)
"""Deeds by the one whom "by" names behind a work: a film by its director."""

# -------------------------------------------------------------------------------- clauses and names

CONJUNCTIONS = words_of(WordClass.CLAUSE_OPENER)
NAME_CONNECTORS = words_of(WordClass.LAND_CONNECTOR)
RANKS = words_of(WordClass.TITLE_OF_RANK)
OFFICES = words_of(WordClass.TITLE_OF_OFFICE)
NAME_ENDINGS = frozenset(
    "n an ian ean ese ish i ic s es y ans ians ny na nian dian ican vian tian sh ch ia a ya ese ais"
    " ine ien".split()
)

# ----------------------------------------------------------------------------------- how it is said

HEARSAY = ("reportedly", "some say", "people say", "they say", "is said to", "was said to")
WISHED_FOR = re.compile(
    r"\b(?:ask|call|appl[yi]|petition|bid|lobb[yi]|campaign|push|plead|beg|press)\w* for\b"
    r"|\b(?:ask|t[eo]ll?|order|urg|beg|instruct|want|mean)\w*(?: [^\W\d]+){0,3} to\b"
    r"|\binsist\w* (?:on|that)\b|\bsupposed to\b"
    r"|\b(?:advice|aim|demand|goal|hope|idea|intention|plan|proposal|recommendation|request|"
    r"suggestion|wish)\b(?: (?:is|was|has been))? (?:to|that)\b"
)
"""What stands behind it is no more than wished for."""
BACKSHIFTED = frozenset(("could", "would"))
"""Forms of can and will where somebody's words are reported."""
LITTLE_WORDS = words_of(WordClass.SAYS_LITTLE)
LIST_MARKS = frozenset("but and or , ;".split())
"""Before a word whose subject or verb stands further ahead."""
OPENS_OBJECT = frozenset(
    "the a an this that these those your my our it them him her me us all".split()
)

# ------------------------------------------------------------------------------- parts of sentences

SUBJECT_PRONOUNS = words_of(WordClass.SUBJECT_PRONOUN)
PRONOUNS_OF_OTHERS = SUBJECT_PRONOUNS & words_of(WordClass.PRONOUN) - words_of(
    WordClass.OF_SPEAKERS
)
PART_SUBORDINATORS = words_of(WordClass.PART_SUBORDINATOR)
RELATIVE = frozenset(("which", "who", "that"))
ADVERBS = words_of(WordClass.CLAUSE_ADVERB)
NEGATED_AUXILIARIES = words_of(WordClass.NEGATED_AUXILIARY) | {"cannot"}
ASSURING = words_of(WordClass.ASSURING)
QUANTIFIERS = words_of(WordClass.QUANTIFIER)
OPENS_NO_SUBJECT = words_of(WordClass.NO_SUBJECT)
TELLS = words_of(WordClass.TELLING)
PLACE_QUALIFIERS = words_of(WordClass.COMPASS)
"""Before a place's name they make another place of it: New York is not York."""

# ------------------------------------------------------------------------------------------ numbers

CARDINALS = frozenset(values_of(WordClass.CARDINAL))
FRACTIONS = frozenset("half halves third thirds quarter quarters fifth fifths tenth tenths".split())
UNITS = """
percent: % percent pct; volt: v volt volts; amp: a amp amps ampere amperes; watt: w watt watts;
dollar: $ dollar dollars usd; euro: € euro euros; pound: £ pound pounds lb lbs; kilometre: km
kilometer kilometers kilometre kilometres; metre: m meter meters metre metres; mile: mi mile
miles; foot: ft foot feet; second: s sec secs second seconds; minute: min mins minute minutes;
hour: h hr hrs hour hours; day: day days; week: week weeks; month: month months; year: year years;
degree: ° degree degrees; kilogram: kg kilogram kilograms; psi: psi; hertz: hz hertz; knot: knot
knots; rupee: ₹ rupee rupees; yen: ¥ yen
"""
CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds", "₹": "rupees", "¥": "yen"}
SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "lakh": 1e5,
    "million": 1e6,
    "crore": 1e7,
    "billion": 1e9,
    "trillion": 1e12,
}
SHORT_SCALES = {
    "k": "thousand",
    "mn": "million",
    "m": "million",
    "bn": "billion",
    "b": "billion",
    "tn": "trillion",
}
