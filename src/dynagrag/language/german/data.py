"""The words of German by class."""

from pathlib import Path

from dynagrag.language.lexicon import Lexicon

words_of = Lexicon(Path(__file__).with_name("lexicon.tsv")).words
