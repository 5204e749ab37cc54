"""Words that checkers by rules know: which say the same, which the opposite, and which deny, hedge
or count.

Everyday English, kept short on purpose: a wording that is missing here makes a true claim "not
found", never a false one "stated".
"""

import itertools
import re
import threading
from collections.abc import Iterable
from functools import cache, partial

import snowballstemmer


class _Stemmer(threading.local):
    """A stemmer of each thread's own, since it keeps the word that it is at."""

    def __init__(self) -> None:
        self.stem = snowballstemmer.stemmer("english").stemWord


_STEMMER = _Stemmer()

_PAST_FORMS = """
have:had; do:did done; go:went gone; say:said; make:made; take:took taken; give:gave given; write:wrote written; sing:sang sung;
speak:spoke spoken; break:broke broken; choose:chose chosen; rise:rose risen; fall:fell fallen; drive:drove driven; fly:flew flown;
grow:grew grown; know:knew known; throw:threw thrown; draw:drew drawn; show:showed shown; see:saw seen; come:came; become:became; run:ran;
begin:began begun; drink:drank drunk; win:won; lose:lost; find:found; fight:fought; buy:bought; bring:brought; think:thought; teach:taught;
catch:caught; seek:sought; sell:sold; tell:told; hold:held; stand:stood; understand:understood; get:got gotten; meet:met; lead:led;
feed:fed; read:read; send:sent; spend:spent; lend:lent; build:built; leave:left; feel:felt; keep:kept; sleep:slept; sweep:swept; deal:dealt;
mean:meant; hear:heard; pay:paid; lay:laid; freeze:froze frozen; steal:stole stolen; wear:wore worn; swear:swore sworn; tear:tore torn;
shoot:shot; strike:struck; stick:stuck; swing:swung; hang:hung; sink:sank sunk; shrink:shrank shrunk; swim:swam swum; bear:bore borne;
blow:blew blown; eat:ate eaten; hide:hid hidden; bite:bit bitten; bind:bound; sit:sat; light:lit; slide:slid; forget:forgot forgotten;
wake:woke woken
"""
"""The past, and the participle where it differs."""
_OTHER_FORMS = """
be:am is are was were been; have:has having; do:does doing; go:goes; say:says; die:dies died dying; lie:lying; marry:married marries;
bury:buried buries; man:men; woman:women; child:children; wife:wives; person:people
"""
_SAME = """
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
_RELATED = """
study student educate education attend graduate degree alumnus alumna alumni university school college
work employ employee hire job staff professor serve teach lecturer join
receive win recipient award honour honor earn winner laureate prize
marry marriage wife husband spouse consort wed wedding widow widower
die death dead deceased kill murder execute assassinate drown perish suicide
born birth native
"""
"""Alike, but not in who does what to whom: to employ is to be worked for."""
_PHRASES = """
stepped down: resigned; steps down: resigns; step down: resign; stepping down: resigning; chief executive officer: ceo; chief executive:
ceo; set up: founded; blew up: exploded; blown up: exploded; blow up: explode; co-founded: founded; co-founder: founder; cofounded:
founded; passed away: died; turned down: rejected; shut down: shutdown; let go: fired; due to: because; owing to: because;
because of: because; in spite of: despite; anything but: not; far from: not; used to be: formerly; make sure: must; it is wrong to say:
deny; it is not true: deny; at least: over; at most: under; co-wrote: wrote; co-written: written; co-directed:
directed; co-produced: produced
"""
_OPPOSITE = """
open close; on off; increase decrease; rise fall; start stop; begin end; accept reject; agree disagree; agree refuse; win lose; buy sell;
before after; above below; more less; more fewer; high low; first last; hire fire; pass fail; allow forbid; allow prevent; true false;
safe unsafe; connect disconnect; enable disable; lock unlock; arrive leave; arrive depart; enter leave; enter exit; up down; in out;
inside outside; early late; hot cold; full empty; guilty innocent; same different; support oppose; approve
reject; remember forget; appear disappear; import export; majority minority; public private; north south; east west; positive negative;
maximum minimum; alive dead; because despite; possible impossible; legal illegal; normal abnormal; good bad; better worse; best worst;
fast slow; large small; big small; strong weak; rich poor
"""
_COMPARED = """
fast slow; quick slow; large small; big small; long short; tall short; high low; strong weak; heavy light; hot cold; hot cool; warm cold;
warm cool; rich poor; wide narrow; thick thin; deep shallow; early late; easy hard; hard soft; bright dark; old young; old new; loud quiet
"""
"""Opposites where things are compared: faster, slower; fastest, slowest."""

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


@cache
def _irregular() -> dict[str, str]:
    return {
        form: base
        for table in (_PAST_FORMS, _OTHER_FORMS)
        for base, forms in _entries(table)
        for form in forms
    }


def _entries(table: str) -> list[tuple[str, list[str]]]:
    """(base, its forms)"""
    entries = (entry.partition(":") for entry in table.replace("\n", " ").split(";"))
    return [(base.strip(), forms.split()) for base, _, forms in entries]


PAST = frozenset(forms[0] for _, forms in _entries(_PAST_FORMS))
PARTICIPLES = frozenset(forms[-1] for _, forms in _entries(_PAST_FORMS))
"""Of verbs whose past no rule makes: went, gone."""


def told_forms(verbs: Iterable[str]) -> frozenset[str]:
    """The forms in which a verb tells what one person does or did: says, said; denies, denied."""
    return frozenset(form for verb in verbs for form in (f"{_y_as_ie(verb)}s", _past(verb)))


def _past(verb: str) -> str:
    irregular = next((forms[0] for base, forms in _entries(_PAST_FORMS) if base == verb), "")
    return irregular or (f"{verb}d" if verb.endswith("e") else f"{_y_as_ie(verb, 'i')}ed")


def _y_as_ie(verb: str, ending: str = "ie") -> str:
    return f"{verb[:-1]}{ending}" if verb.endswith("y") and verb[-2] not in "aeiou" else verb


@cache
def lemma(word: str) -> str:
    """The stem of a word's base form, casefolded: wrote, writes -> write; directed, directing ->
    direct.
    """
    low = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
    return str(_STEMMER.stem(_irregular().get(low, low)))


def is_irregular(low: str) -> bool:
    """Whether it is a form that no rule makes of its base: wrote, gone."""
    return low in _irregular()


@cache
def _groups(table: str) -> dict[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for line in table.strip().splitlines():
        stems = frozenset(lemma(word) for word in line.split())
        for stem in stems:
            groups[stem] = groups.get(stem, frozenset()) | stems
    return groups


def senses(stem: str) -> frozenset[str]:
    """Stems that can say what this one says, itself among them."""
    return alike(stem) | _groups(_RELATED).get(stem, frozenset())


def alike(stem: str) -> frozenset[str]:
    """Stems that say the same of the same ones: who does it, and to whom."""
    return _groups(_SAME).get(stem, frozenset((stem,))) | _NARROWER.get(stem, frozenset())


def speaks_of(stems: frozenset[str], stem: str) -> bool:
    """Whether words with these stems say what one says, or the opposite of it."""
    return not stems.isdisjoint(senses(stem) | opposites().get(stem, frozenset()))


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Stems that say the opposite of one."""
    pairs: dict[str, frozenset[str]] = {}
    told = [tuple(pair.split()) for pair in _OPPOSITE.replace("\n", " ").split(";")]
    compared = [
        zip(*map(degrees, pair.split()), strict=True)
        for pair in _COMPARED.replace("\n", " ").split(";")
    ]
    for one, other in map(partial(map, lemma), itertools.chain(told, *compared)):
        pairs[one] = pairs.get(one, frozenset()) | {other}
        pairs[other] = pairs.get(other, frozenset()) | {one}
    return pairs


def degrees(quality: str) -> tuple[str, str]:
    """How one compares by it: fast, faster, fastest without the first; early, big and large as they
    are spelt.
    """
    if quality.endswith("e"):
        return f"{quality}r", f"{quality}st"
    stem = _y_as_ie(quality, "i") + (
        quality[-1] if re.search(r"[^aeiou][aeiou][bdgmnpt]$", quality) else ""
    )
    return f"{stem}er", f"{stem}est"


_NARROWER = {
    lemma("compose"): frozenset((lemma("write"),)),
    lemma("perform"): frozenset((lemma("record"),)),
}
"""What may say it too, but not the other way round: who wrote a song composed it."""


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, str]]:
    words = dict(entry.strip().split(": ") for entry in _PHRASES.replace("\n", " ").split(";"))
    return (
        re.compile(
            rf"(?<!\w)(?:{'|'.join(sorted(words, key=len, reverse=True))})(?!\w)", re.IGNORECASE
        ),
        words,
    )


_CONTRACTIONS = {
    "can't": "can not",
    "won't": "will not",
    "n't": " not",
    "'ll": " will",
    "'ve": " have",
    "'re": " are",
    "'m": " am",
}


_IN_TITLE = re.compile(r"\b(?P<verb>[A-Z][a-z]*) ?n't(?= +(?!I\b)[A-Z][a-z])")
"""Of a title, where capitals go on behind it: Don't Look Up. Not shall be one of its words, and
deny nothing.
"""
_CUT_SHORT = {"Ca": "Can", "Wo": "Will"}


_LESS = re.compile(r"\b(?!(?:regard|neverthe|nonethe|wire)less\b)([a-z]{3,})less\b")
"""Warrantless is without a warrant."""


_NOT_JUST = re.compile(r"(?i)\bnot (?:just|only|merely|simply) ([^.;!?]{1,80}?),? but(?: also)?\b")
"""Not just A but also B is both."""


def plain_phrases(text: str) -> str:
    """The text with phrases of several words in the one word that says the same, and without
    contractions.
    """
    text = text.replace("’", "'")
    text = _IN_TITLE.sub(lambda title: f"{_CUT_SHORT.get(title['verb'], title['verb'])} Not", text)
    for short, full in _CONTRACTIONS.items():
        text = re.sub(rf"(?i){short}\b", full, text)
    text = _LESS.sub(r"without \1", text)
    text = _NOT_JUST.sub(r"both \1 and", text)
    phrases, words = _phrases()
    return phrases.sub(lambda match: words[match[0].casefold()], text)
