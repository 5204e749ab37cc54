"""The files of English: words by class, and groups of words."""

from pathlib import Path

from dynagrag.language.lexicon import Lexicon
from dynagrag.language.thesaurus import Thesaurus

_LEXICON = Lexicon(Path(__file__).with_name("lexicon.tsv"))
_THESAURUS = Thesaurus(Path(__file__).with_name("thesaurus.txt"))

words_of = _LEXICON.words
values_of = _LEXICON.values
groups_of = _THESAURUS.groups
