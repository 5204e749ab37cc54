"""The words of German by class."""

from pathlib import Path

from dynagrag.language.lexicon import Lexicon

_LEXICON = Lexicon(Path(__file__).with_name("lexicon.tsv"))

words_of = _LEXICON.words
values_of = _LEXICON.values
