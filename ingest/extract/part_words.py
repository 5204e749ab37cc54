"""Common nouns that a number, a letter or a name in front makes a thing of: lower case,
singular.
"""

from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

DEVICES = words_of(WordClass.DEVICE)
SITES = words_of(WordClass.SITE)
STAGES = words_of(WordClass.STAGE)
HEADS = DEVICES | SITES
"""With a name in front they name a part: `DUA breaker`."""
NUMBERED = HEADS | STAGES
"""With a number or letter behind they name a thing: `panel 11`, `main bus B`, `room 204`. Parts of
a document (figure, page) are none.
"""
VERBS_TOO = words_of(WordClass.VERB_TOO)
KINDS = words_of(WordClass.KIND)
LEADS = words_of(WordClass.LEAD)
MEASURES = words_of(WordClass.UNIT)


def singular(word: str) -> str:
    """A plural's noun, for these words alone: `batteries`, `buses`, `switches`, `tanks`."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("es", "s"):
        if word.endswith(ending) and word.removesuffix(ending) in NUMBERED:
            return word.removesuffix(ending)
    return word
