"""The lexicons and the thesaurus: each word once, nothing unnamed, nothing unused."""

import re
from pathlib import Path

import pytest

from dynagrag.language.english.data import groups_of, values_of, words_of
from dynagrag.language.german import data as german
from dynagrag.language.lexicon import Lexicon
from dynagrag.language.thesaurus import GroupKind, Thesaurus
from dynagrag.language.word_class import WordClass

SOURCES = Path(__file__).parents[3]
ENGLISH = SOURCES / "src" / "dynagrag" / "language" / "english" / "lexicon.tsv"


def lexicon(folder: Path, text: str) -> Lexicon:
    (folder / "lexicon.tsv").write_text(text)
    return Lexicon(folder / "lexicon.tsv")


def test_a_word_is_of_its_classes(tmp_path: Path) -> None:
    own = lexicon(tmp_path, "a\tarticle function\nmay\tmodal month=5\nmarch\tmonth=3\n\tverb\n")
    assert own.words(WordClass.ARTICLE, WordClass.MODAL) == {"a", "may"}
    assert own.words(WordClass.VERB) == {"march"}
    assert own.words(WordClass.EPITHET) == frozenset()
    assert list(own.values(WordClass.MONTH).items()) == [("march", 3), ("may", 5)]


def test_a_word_that_stands_twice_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has 'a' twice"):
        lexicon(tmp_path, "a\tarticle\nb\tverb\na\tverb\n").words(WordClass.VERB)


def test_a_class_that_there_is_not_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="artikle"):
        lexicon(tmp_path, "a\tartikle\n").words(WordClass.VERB)


def test_groups_are_read_by_their_kind(tmp_path: Path) -> None:
    path = tmp_path / "thesaurus.txt"
    path.write_text("[nicknames]\nrobert bob\n\tbobby\n\n[contrasts]\nleft right\n")
    own = Thesaurus(path)
    assert own.groups(GroupKind.NICKNAMES) == (("robert", "bob", "bobby"),)
    assert own.groups(GroupKind.CONTRASTS) == (("left", "right"),)
    assert own.groups(GroupKind.NEAR_VERBS) == ()


def test_a_kind_that_there_is_not_is_told(tmp_path: Path) -> None:
    (tmp_path / "thesaurus.txt").write_text("[niknames]\nrobert bob\n")
    with pytest.raises(ValueError, match="niknames"):
        Thesaurus(tmp_path / "thesaurus.txt").groups(GroupKind.NICKNAMES)


def test_english_is_sorted_and_holds_a_word_once() -> None:
    found = [line.partition("\t")[0] for line in ENGLISH.read_text().splitlines()]
    assert [w for w in found if w] == sorted({w for w in found if w})
    assert max(map(len, ENGLISH.read_text().splitlines())) <= 100


def test_every_class_has_english_words_and_a_use() -> None:
    folders = ("ingest", "retrieval", "generation", "evaluation", "src/dynagrag")
    files = [path for folder in folders for path in (SOURCES / folder).rglob("*.py")]
    texts = [path.read_text() for path in files]
    used = {name for text in texts for name in re.findall(r"(?:WordClass|GroupKind)\.(\w+)", text)}
    assert all(words_of(word_class) for word_class in WordClass)
    assert used >= {named.name for named in (*WordClass, *GroupKind)}


@pytest.mark.parametrize("kind", GroupKind)
def test_every_kind_has_english_groups(kind: GroupKind) -> None:
    assert all(len(group) > 1 for group in groups_of(kind))
    assert groups_of(kind)


def test_months_weekdays_and_numbers_are_in_order() -> None:
    assert list(values_of(WordClass.MONTH))[:2] == ["january", "february"]
    assert list(values_of(WordClass.WEEKDAY).values()) == [1, 2, 3, 4, 5, 6, 7]
    assert values_of(WordClass.CARDINAL)["seventy"] == 70


def test_german_is_told_by_other_words_than_english() -> None:
    common = german.words_of(WordClass.EVERYDAY) & words_of(WordClass.EVERYDAY)
    assert len(german.words_of(WordClass.EVERYDAY)) > 40
    assert common <= {"was", "die", "an", "als", "war", "hat", "will"}
