"""The words by which the fast extractor sees where a name begins and ends, and what it names: each
set is told of in `WordClass`.
"""

from dynagrag.language.english.data import words_of
from dynagrag.language.german import data as german
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import MONTHS, WEEKDAYS

CONNECTORS = words_of(WordClass.CONNECTOR)
TITLE_CONNECTORS = CONNECTORS | words_of(WordClass.SMALL_IN_TITLE)
EPITHETS = words_of(WordClass.EPITHET)

ABBREVIATIONS = words_of(WordClass.ABBREVIATION)
NUMBER_SIGNS = words_of(WordClass.NUMBER_SIGN)
ORDERED = words_of(WordClass.ORDERED)
KEEP_UPPER = frozenset({"US", "WHO"})
"""Function words that are names when written in capitals inside other text."""
NAMES_TOO = words_of(WordClass.ALSO_A_NAME)
NUMERAL_HEADS = words_of(WordClass.NUMERAL_HEAD)

INSTITUTIONS = words_of(WordClass.INSTITUTION)
TOPICAL = words_of(WordClass.TOPICAL)
PLACES = words_of(WordClass.PLACE)
ORGANISATIONS = INSTITUTIONS | words_of(WordClass.ORGANISATION)

FURNITURE = words_of(WordClass.FURNITURE)
PARTS = FURNITURE | words_of(WordClass.PART)

GIVEN_MONTHS = NAMES_TOO.intersection(MONTHS)
WHEN = frozenset(MONTHS).union(WEEKDAYS, (f"{day}s" for day in WEEKDAYS))
EVENTS = words_of(WordClass.EVENT)
NAMED_DAYS = words_of(WordClass.NAMED_DAY)
WHEN_PREPOSITIONS = words_of(WordClass.WHEN_PREPOSITION)
TIME_PREPOSITIONS = WHEN_PREPOSITIONS | words_of(WordClass.YEAR_PREPOSITION)

UNITS = words_of(WordClass.UNIT, WordClass.COUNTED)
LOWER_FIRST_UNITS = words_of(WordClass.UNIT_WITH_CAPITAL)

OFFICE_PAIRS = words_of(WordClass.OFFICE_PAIR)
OFFICE_HEADS = words_of(WordClass.OFFICE_HEAD)
OFFICE_WORDS = words_of(WordClass.OFFICE_FIELD)
OFFICE_FIRST = words_of(WordClass.OFFICE_FIELD_FIRST)
PERSON_TITLES = words_of(WordClass.PERSON_TITLE) | german.words_of(WordClass.PERSON_TITLE)
DEGREES = words_of(WordClass.DEGREE)
FORMS_OF_ADDRESS = words_of(WordClass.FORM_OF_ADDRESS) | german.words_of(WordClass.FORM_OF_ADDRESS)
SURE_TITLES = words_of(WordClass.SURE_TITLE)
ADDRESSES = words_of(WordClass.ADDRESS_TITLE)
OCCUPATIONS = words_of(WordClass.OCCUPATION)
OPENERS = words_of(WordClass.OPENER)
ADVERB_ENDINGS = tuple("ally ntly tely ively ously ingly edly fully ularly antly".split())
SIGNALS = words_of(WordClass.SIGNAL)
STATES = words_of(WordClass.SWITCH_STATE)
COMMANDS = words_of(WordClass.COMMAND)
GENERIC = words_of(WordClass.GENERIC)
SETTERS = words_of(WordClass.SETTER)
RANKS_BEFORE = words_of(WordClass.RANK_BEFORE)
COMPOUND_TAILS = words_of(WordClass.COMPOUND_TAIL)
COMPOUND_HEADS = words_of(WordClass.COMPOUND_HEAD)
NUMBER_WORDS = words_of(WordClass.CARDINAL, WordClass.ORDINAL, WordClass.RADIO_DIGIT)
ENGLISH = words_of(WordClass.EVERYDAY)
GERMAN = german.words_of(WordClass.EVERYDAY)
