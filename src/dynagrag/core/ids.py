"""Content-hash ids and the key of a name (one function for every extractor).

Ids are the first 32 hex digits of SHA-256 over the parts, each length-prefixed, so that ("ab", "c")
and ("a", "bc") differ.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache

from dynagrag.core.role_labels import is_role_label

_EDGES = "\"'`‘’“”«»()[]{}<>.,;:!? \t\r\n"
_LEADING_ARTICLE = re.compile(r"^(?:the|an|a)\s+(?=\S)")
_SPACES = re.compile(r"\s+")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_QUOTES = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "‚": "'",
        "′": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "″": '"',
        "«": '"',
        "»": '"',
    }
)

NUMBERED_SPEAKER = re.compile(
    r"^(?:speaker[ _-]?\w{1,3}|spk[ _-]?\d+|[a-z]|unknown(?: speaker)?|\d{1,3}|participant["
    r" _-]?\d*)$",
    re.IGNORECASE,
)


def content_id(*parts: str | int) -> str:
    """The id of a record: 32 hex digits that depend on nothing but the parts."""
    coded = [str(part).encode("utf-8", "surrogatepass") for part in parts]
    data = b"".join([b"%d:%b" % (len(part), part) for part in coded])
    return hashlib.sha256(data).hexdigest()[:32]


def plain_quotes(text: str) -> str:
    """Typographic quotation marks made plain, one character for one."""
    return text.translate(_QUOTES)


def entity_key(name: str) -> str:
    """The key under which mentions of one name meet: docs/papers.md, De-duplication, step 1.

    NFKC, casefold, collapsed spaces, outer quotes, brackets and . , ; : ! ? off, possessive 's off,
    a leading article off. Keeps + # and -, so C, C++ and C# differ. Empty when nothing is left.
    Idempotent.
    """
    text = _SPACES.sub(" ", plain_quotes(unicodedata.normalize("NFKC", name)).casefold()).strip()
    text = unicodedata.normalize("NFKC", text)
    while True:
        shorter = text.strip(_EDGES)
        if shorter.endswith("'s"):
            shorter = shorter[:-2]
        shorter = _LEADING_ARTICLE.sub("", shorter)
        if shorter == text:
            return text
        text = shorter


def plain_title(title: str) -> str:
    """A title as a name: bracketed parts off, unless nothing else is left."""
    return _BRACKETS.sub(" ", title).strip() or title.strip()


@lru_cache(maxsize=4096)
def is_generic_speaker(label: str) -> bool:
    """Whether a label is somebody else's in each document: a number's or letter's (SPEAKER_00, A),
    `Unknown`, or a role's in one talk (Interviewee, Guest 2). An office's (Chair) isn't.
    """
    key = entity_key(label)
    return NUMBERED_SPEAKER.match(key) is not None or is_role_label(key)


def speaker_key(name: str, source_sha256: str) -> str:
    """The key of a speaker; a generic label is scoped to its document's content."""
    key = entity_key(name)
    if is_generic_speaker(name):
        return f"{key} @{source_sha256[:12]}"
    return key


def sense_key(key: str, name: str) -> str:
    """The key of a name's other sense, "mercury (the planet)": `entity_key` never ends in a
    bracket, so no name has it.
    """
    return f"{plain_key(key)} ({' '.join(re.sub(r'[()]', ' ', entity_key(name)).split())})"


def plain_key(key: str) -> str:
    """A key without its sense."""
    return key[: key.rindex(" (")] if key.endswith(")") and " (" in key else key


def sense_of(key: str) -> str:
    """The sense that `sense_key` added to a key; empty if it has none."""
    return key[len(plain_key(key)) + 2 : -1]


def estimate_tokens(text: str) -> int:
    """Tokens of a text where no tokenizer is at hand: characters / 4, rounded up."""
    return (len(text) + 3) // 4
