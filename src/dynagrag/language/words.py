"""Sets of English words that many rooms use: lower case, with plain apostrophes, never a subject's
own words. What each is stands in `WordClass`.
"""

from dynagrag.language.english.data import values_of, words_of
from dynagrag.language.word_class import WordClass

FUNCTION_WORDS = words_of(WordClass.FUNCTION)
COMMON_VERBS = words_of(WordClass.COMMON_VERB)
VAGUE_WORDS = words_of(WordClass.VAGUE)
COMMON_WORDS = FUNCTION_WORDS | COMMON_VERBS | VAGUE_WORDS
DETERMINERS = words_of(WordClass.ARTICLE, WordClass.DEMONSTRATIVE, WordClass.POSSESSIVE)
AUXILIARIES = words_of(WordClass.BE, WordClass.HAVE, WordClass.DO, WordClass.MODAL)
HONORIFICS = words_of(WordClass.HONORIFIC)
ROLE_NOUNS = words_of(WordClass.ROLE)
LETTERS_OF_OFFICE = words_of(WordClass.LETTERS_OF_OFFICE)
MONTHS = tuple(values_of(WordClass.MONTH))
WEEKDAYS = tuple(values_of(WordClass.WEEKDAY))
