"""Which language a text is in, by py3langid (BSD-3-Clause; 139 languages, a model of 4.6 MB).

Short lines are guesses: "Roger, 03 plus 00 plus 39" looks French. So a line is of another language
than its document only where the library is sure of it, and what nothing is known of stays unknown
(figures: docs/decisions/0044-verdicts-by-language-and-search.md).
"""

import re
from contextlib import suppress
from functools import lru_cache
from threading import Lock, Thread
from typing import TYPE_CHECKING

from dynagrag.language.answer_words import languages_asking
from dynagrag.language.english.verbs import is_verb
from dynagrag.language.word_runs import words
from dynagrag.language.words import COMMON_WORDS

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_LOCK = Lock()
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
UNKNOWN = "und"
"""The code of a text whose language can't be told (ISO 639-2)."""
ENGLISH = "en"
_NAMES = dict(
    entry.split("=")
    for entry in (
        "af=Afrikaans am=Amharic ar=Arabic az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali"
        " bs=Bosnian ca=Catalan cs=Czech cy=Welsh da=Danish de=German el=Greek en=English"
        " es=Spanish et=Estonian eu=Basque fa=Persian fi=Finnish fr=French ga=Irish gl=Galician"
        " gu=Gujarati ha=Hausa he=Hebrew hi=Hindi hr=Croatian hu=Hungarian hy=Armenian"
        " id=Indonesian ig=Igbo is=Icelandic it=Italian ja=Japanese jv=Javanese ka=Georgian"
        " kk=Kazakh km=Khmer kn=Kannada ko=Korean ky=Kyrgyz lo=Lao lt=Lithuanian lv=Latvian"
        " mg=Malagasy mk=Macedonian ml=Malayalam mn=Mongolian mr=Marathi ms=Malay mt=Maltese"
        " my=Burmese ne=Nepali nl=Dutch no=Norwegian or=Odia pa=Punjabi pl=Polish ps=Pashto"
        " pt=Portuguese ro=Romanian ru=Russian si=Sinhala sk=Slovak sl=Slovenian so=Somali"
        " sq=Albanian sr=Serbian sv=Swedish sw=Swahili ta=Tamil te=Telugu tg=Tajik th=Thai"
        " tk=Turkmen tl=Tagalog tr=Turkish ug=Uyghur uk=Ukrainian ur=Urdu uz=Uzbek"
        " vi=Vietnamese xh=Xhosa yo=Yoruba zh=Chinese zu=Zulu"
    ).split()
)
"""Those that are told apart. The library's others are near kin of these, which short lines are
taken for: Walloon for French, Nigerian Pidgin for English.
"""
_SURE = 0.8
"""From this probability on a line's own language counts, whatever its document's is: none of 6,000
English lines of speech reaches it in another.
"""
_MIN_ENGLISH, _MIN_ENGLISH_OF_BEST = 0.12, 0.3
"""English is taken for English from here on, names of other languages and all: short English
sentences have 0.13 and more, those of other languages 0.1 at most.
"""
_ASKS = frozenset(
    "who whose what when where which why how did does were should would could tell give list"
    " describe explain compare summarize summarise name".split()
)
"""No other language that is told apart has one of them."""
_LIKELY = 0.5
_HARDLY = 0.02
_FEW_WORDS = 2
"""Of a question that the library isn't asked about."""
_MANY = 0.4
"""Words in small letters of an English text's sentence that seems to be in another language, but
only its names are.
"""
_PLAIN = 0.5
"""Such words in a passage that the library isn't asked about."""
_MAX_CHARACTERS = 2_000
"""Of a text that are read, half of them at its beginning and half amid it: more tell nothing new,
and a beginning may be a title page.
"""


def language_of(text: str, usual: str = UNKNOWN) -> str:
    """The code (ISO 639-1) of a text's language: its own where that is sure, else the `usual` one
    around it, else the likeliest; `UNKNOWN` where none is likely.
    """
    if len(text) > _MAX_CHARACTERS:
        half, middle = _MAX_CHARACTERS // 2, len(text) // 2
        text = f"{text[:half]}\n{text[middle : middle + half]}"
    shares = _shares(text)
    best, share = max(shares, key=lambda pair: pair[1])
    if share >= _SURE:
        is_of_names = usual == ENGLISH and _share_of_plain_english(text) >= _MANY
        return ENGLISH if is_of_names else best
    if usual != UNKNOWN:
        return usual
    if dict(shares)[ENGLISH] >= max(_MIN_ENGLISH, _MIN_ENGLISH_OF_BEST * share):
        return ENGLISH
    if share >= _LIKELY:
        return best
    is_english = _share_of_plain_english(text) == 1.0  # "Ann met Leo in Hull"
    return ENGLISH if is_english else UNKNOWN


def language_of_question(question: str) -> str:
    """As `language_of`, without the library where the first word is an English one to ask with. Of
    one or two words only such a word of a single language tells it: "Warum?", not "Quanto dura?".
    """
    first = _WORD.search(question)
    if first and first[0].casefold() in _ASKS:
        return ENGLISH
    if len(words(question)) > _FEW_WORDS:
        return language_of(question)
    asking = languages_asking(question)
    if len(asking) == 1:
        return next(iter(asking))
    return ENGLISH if language_of(question) == ENGLISH else UNKNOWN


def is_surely_asked_in(question: str, code: str, *, not_in: str) -> bool:
    """Whether a question is in one language (ISO 639-1) and not in another, by the words it asks
    with, else by the library, which often takes kin for each other.
    """
    if not_in == code or {code, not_in} & {UNKNOWN, ""}:
        return False
    asking = languages_asking(question)
    if not_in in asking or asking == {code}:
        return not_in not in asking
    first = _WORD.search(question)
    if first and first[0].casefold() in _ASKS:
        return code == ENGLISH
    shares = dict(_shares(question))
    return (
        len(words(question)) > _FEW_WORDS
        and shares.get(code, 0.0) >= _SURE
        and shares.get(not_in, 0.0) < _HARDLY
    )


def is_plainly_english(text: str) -> bool:
    """Whether at least half of its words in small letters are common English ones: no need to ask
    the library. Texts of other languages have a third at most.
    """
    return _share_of_plain_english(text) >= _PLAIN


def _share_of_plain_english(text: str) -> float:
    """The share of a text's words in small letters that are common English ones: names decide what
    the library makes of short sentences. 0 without such words.
    """
    small = [word for word in _WORD.findall(text) if word.islower()]
    return sum(word in COMMON_WORDS or is_verb(word) for word in small) / max(1, len(small))


def language_name(code: str) -> str:
    """Its English name; "language unknown" for `UNKNOWN`."""
    return _NAMES.get(code, "language unknown")


def language_codes() -> tuple[str, ...]:
    """Those of the languages that are told apart, by code."""
    return tuple(sorted(_NAMES))


@lru_cache(maxsize=4_096)
def _shares(text: str) -> tuple[tuple[str, float], ...]:
    """Each language's probability."""
    return tuple((code, float(share)) for code, share in _identifier().rank(text))


def load_beside() -> None:
    """Begins to load the library, in a thread, unless it is there: it takes more than half a
    second, in which a model may answer.
    """
    if not _load.cache_info().currsize:
        Thread(target=_load_quietly, name="load languages").start()


def _load_quietly() -> None:
    with suppress(Exception):  # what fails here fails again at the first use
        _identifier()


def _identifier() -> "LanguageIdentifier":
    with _LOCK:  # loaded once, whoever comes first
        return _load()


@lru_cache(maxsize=1)
def _load() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*_NAMES])
    return identifier
