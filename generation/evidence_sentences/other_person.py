"""Whether lines say of another what is asked of somebody: "What did Ann realize after her race?"
is answered by what Ann says of herself and what others say to her or of her, not by what Bob says
of his race (docs/papers.md, Lines, step 7).

A sentence is of its speaker by I or we, of whom it is spoken to by you, and of whom it names, but
for whom it only calls ("Hey Ann, I ran a race" is its speaker's). One that has none of these is its
speaker's too, and counts less. Only English is read so.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

import numpy as np

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import OtherPerson, Question
from dynagrag.generation.evidence_sentences.asked_words import (
    asks_for_all_words,
    without_verbs_of_saying,
)
from dynagrag.generation.evidence_sentences.excerpts import citation_of
from dynagrag.generation.evidence_sentences.line_fit import (
    MAX_TURNS_APART,
    Fits,
    Floats,
    WordShares,
)
from dynagrag.generation.evidence_sentences.line_fit import WEIGHTS as FIT_WEIGHTS
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.support import WORD, content_stems
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS
from dynagrag.retrieval.passages import cosines_with
from dynagrag.retrieval.turn_scores import z

WEIGHTS = {"cosine": 0.15, "words": 0.5, "words beside": 0.5, "words asked": 0.3}
"""Of each part of how well a sentence says what is asked. Cosines are compared with those of the
question's other lines, so that no embedder's scale counts.
"""
NOBODY_TOLD = 0.5
"""Less for a sentence without a pronoun or name."""
NUM_BEST = 3
"""Sentences by whose mean those of others and of the one who is asked about are compared."""
LEAST_LEAD = 0.08
"""Of the others, for it to be told."""
CROWD = 0.3
"""More of a lead for each e-fold by which others have more sentences: of many some are near by
chance.
"""
_YOU = words_of(WordClass.SECOND_PERSON)
_WE = words_of(WordClass.OF_SPEAKERS) - _YOU
_CALL_BEGINS = re.compile(r"(?:^|[,.!?…;:–—-])\s*(?:[^\W\d_]+[,!]?\s+){0,2}$")
_CALL_ENDS = re.compile(r"\s*(?:$|[^\w\s'’])")
_MIN_NICKNAME = 3


@dataclass(frozen=True, slots=True)
class LineOwners:
    """The labels of those of whom a sentence speaks. `are_told`: by a pronoun or a name."""

    labels: frozenset[str]
    are_told: bool


def other_person(
    index: LineIndex, question: Question, fits: Fits, foreign: str, embedder: Embedder
) -> OtherPerson | None:
    """Who it is of whom lines say what is asked of somebody. None where they say it of the one who
    is asked about, as where their turns hold what their words are asked of, or it can't be told:
    none or several are asked about, they are no speakers, no other's lines were looked at, or
    question or lines aren't English. `foreign`: of `foreign_language`.
    """
    people = index.speakers.people_in(question.text)
    if len(people) != 1 or not fits.sentences or foreign:
        return None
    (asked,) = people
    if not _is_name(question.text, asked) or asks_for_all_words(question.text, asked):
        return None
    if fits.held.is_answered:
        return None  # they speak of it themselves
    bare = _without_names(without_verbs_of_saying(question.text, asked), asked)
    # whose plan somebody is asked to think about is no other of whom it could be said, and who has
    # a name in common with them may be the same
    named = index.speakers.named_in(question.text) | asked
    named |= {label for label in index.speakers.labels if _may_be_one(label, named)}
    owners = [owners_of(index, sentence) for sentence in fits.sentences]
    is_own = np.array([not asked.isdisjoint(own.labels) for own in owners])
    is_other = np.array([bool(own.labels) and named.isdisjoint(own.labels) for own in owners])
    if not is_own.any() or not is_other.any():
        return None
    say = _says(index, bare, fits, embedder)
    say -= NOBODY_TOLD * np.array([not own.are_told for own in owners])
    lead = np.mean(np.sort(say[is_other])[-NUM_BEST:]) - np.mean(np.sort(say[is_own])[-NUM_BEST:])
    if lead < LEAST_LEAD + CROWD * max(0.0, log(is_other.sum() / is_own.sum())):
        return None
    wanted = content_stems(bare)
    is_shown = is_other & [not sentence.stems.isdisjoint(wanted) for sentence in fits.sentences]
    if not is_shown.any():
        return None  # near by their vectors alone
    fit = fits.total - FIT_WEIGHTS["speaker"] * fits.parts["speaker"]
    best = int(np.argmax(np.where(is_shown, fit, -np.inf)))
    sentence, labels = fits.sentences[best], owners[best].labels
    other = sentence.speaker if sentence.speaker in labels else min(labels)
    return OtherPerson(
        asked=max(sorted(asked), key=len),
        other=other,
        line=citation_of(index.snapshot, [sentence]),
    )


def _is_name(question: str, labels: frozenset[str]) -> bool:
    """Whether a question surely means them: by all words of a label, or by one with a capital
    within the question; "the project" is no Project Manager.
    """
    shown = WORD.findall(question)
    folded, inside = {w.casefold() for w in shown}, {w for w in shown[1:] if w[0].isupper()}
    own = [_words(label) for label in labels]
    return any(words <= folded for words in own) or not {w.casefold() for w in inside}.isdisjoint(
        set().union(*own)
    )


def _may_be_one(label: str, others: Iterable[str]) -> bool:
    """Whether a label may be another of one of these people: with fewer or more words."""
    own = _words(label)
    return any(own <= words or words <= own for words in map(_words, others))


def _words(label: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(label)}


def owners_of(index: LineIndex, sentence: PassageSentence) -> LineOwners:
    """Of whom a sentence speaks; nobody where it has no speaker and names none."""
    words = {w.casefold() for w in WORD.findall(sentence.text) if len(w) < 2 or not w.isupper()}
    labels = set(_named_in(sentence, index.labels_of(sentence.document_id)))
    if sentence.speaker and not _WE.isdisjoint(words):
        labels.add(sentence.speaker)
    if not _YOU.isdisjoint(words):
        labels |= _spoken_to(index, sentence)
    if labels or not sentence.speaker:
        return LineOwners(frozenset(labels), bool(labels))
    return LineOwners(frozenset((sentence.speaker,)), are_told=False)


def _spoken_to(index: LineIndex, sentence: PassageSentence) -> set[str]:
    """The other of two speakers; of more, those who speak just before and after."""
    labels = index.labels_of(sentence.document_id) - {sentence.speaker}
    if len(labels) == 1 or not sentence.turn:
        return set(labels)
    turns, at = index.snapshot.turns[sentence.document_id], sentence.turn_index
    before, after = turns[max(0, at - MAX_TURNS_APART) : at][::-1], turns[at + 1 :]
    near = (
        next((t.speaker for t in beside if t.speaker in labels), None)
        for beside in (before, after[:MAX_TURNS_APART])
    )
    return {label for label in near if label}


def _named_in(sentence: PassageSentence, labels: frozenset[str]) -> set[str]:
    """The speakers whom a sentence of another names, by a word of their label or its beginning
    ("Mel"), but those whom it calls.
    """
    found: set[str] = set()
    text = sentence.text
    for match in WORD.finditer(text):
        word = match.group()
        if not word[0].isupper() or word.casefold() in COMMON_WORDS:
            continue
        is_begun = match.start() > 0 and len(word) >= _MIN_NICKNAME
        of = {
            label
            for label in labels
            for own in WORD.findall(label)
            if own.casefold() == word.casefold() or (is_begun and own.startswith(word))
        } - {sentence.speaker}
        is_call = _CALL_BEGINS.search(text[: match.start()]) and _CALL_ENDS.match(text, match.end())
        if of and not is_call:
            found |= of
    return found


def _says(index: LineIndex, bare: str, fits: Fits, embedder: Embedder) -> Floats:
    """(n,) how well each sentence says what is asked, whoever it is asked of: `bare`."""
    sentences = fits.sentences
    shares = WordShares(index, bare)
    own = [s.stems for s in sentences]
    parts = {
        "cosine": z(cosines_with(fits.vectors, embedder.embed_query(bare))),
        "words": shares.of_all(sentences, own),
        "words beside": shares.of_all(sentences, _with_same_turn(sentences, own)),
        "words asked": fits.parts["words asked"],
    }
    says: Floats = sum((w * parts[name] for name, w in WEIGHTS.items()), np.zeros(len(sentences)))
    return says - fits.parts["question"] - 3 * fits.parts["empty"] - fits.parts["call"]


def _with_same_turn(
    sentences: Sequence[PassageSentence], own: Sequence[frozenset[str]]
) -> list[frozenset[str]]:
    """The words of each sentence and those before and after it in its turn."""
    at = {(s.document_id, s.start): i for i, s in enumerate(sentences)}
    order = [at[place] for place in sorted(at)]
    joined = list(own)
    for first, second in pairwise(order):
        one, other = sentences[first], sentences[second]
        if (one.document_id, one.turn_index) == (other.document_id, other.turn_index):
            joined[first] |= own[second]
            joined[second] |= own[first]
    return joined


def _without_names(text: str, labels: frozenset[str]) -> str:
    """A question without the words of these labels, and what makes them possessive."""
    words = {re.escape(word) for label in labels for word in WORD.findall(label)}
    names = re.compile(
        rf"\b(?:{'|'.join(sorted(words, key=len, reverse=True))})\b(?:['’]s?)?", re.I
    )
    return " ".join(names.sub(" ", text).split())
