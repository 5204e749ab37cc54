"""Content-hash ids and the key of a name (one function for every extractor).

Ids are the first 32 hex digits of SHA-256 over the parts, each length-prefixed, so that ("ab", "c")
and ("a", "bc") differ.
"""

import hashlib
import re
import unicodedata

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

GENERIC_SPEAKER = re.compile(
    r"^(?:speaker[ _-]?\w{1,3}|spk[ _-]?\d+|[a-z]|unknown(?: speaker)?|\d{1,3}|participant["
    r" _-]?\d*)$",
    re.IGNORECASE,
)


def content_id(*parts: str | int) -> str:
    """The id of a record: 32 hex digits that depend on nothing but the parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


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


def speaker_key(name: str, source_sha256: str) -> str:
    """The key of a speaker; a generic label (SPEAKER_00, A, Unknown) is scoped to its document's
    content.
    """
    key = entity_key(name)
    if GENERIC_SPEAKER.match(key):
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
