"""Whether the sources answer a question at all (docs/papers.md, Nothing fits)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from math import exp, log, sqrt
from typing import NamedTuple

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Clip, Question
from dynagrag.generation.evidence_sentences.asked_talk import asked_talk
from dynagrag.generation.evidence_sentences.asked_words import (
    asks_for_all_words,
    without_verbs_of_saying,
)
from dynagrag.generation.evidence_sentences.line_fit import Fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.evidence_sentences.word_nearness import question_words, words_nearness
from dynagrag.generation.support import WORD, content_stems
from dynagrag.language.english.data import words_of
from dynagrag.language.english.inflection import verb_forms
from dynagrag.language.identification import (
    ENGLISH,
    UNKNOWN,
    is_plainly_english,
    language_name,
    language_of,
    language_of_question,
)
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import DETERMINERS, FUNCTION_WORDS, HONORIFICS, ROLE_NOUNS

NOTHING_FITS = "Nothing in the sources seems to answer this question."
_LANGUAGES = (ENGLISH, UNKNOWN)


class Signs(NamedTuple):
    """Signs of whether a question is answered.

    Attributes:
        words: How near the best lines come to the question's words (`words_nearness`); with none,
            as near as leaves it to the other signs.
        stretch: The cosine of the best stretch of talk, as MiniLM's would be.
        size: What the best of as many as the workspace has passages gets by chance, in standard
            deviations.
    """

    words: float
    stretch: float
    size: float


WEIGHTS, BIAS = Signs(words=12.0, stretch=4.8, size=-0.96), -1.0
"""Chosen on rows for tuning of five kinds (docs/papers.md, Nothing fits)."""
NO_WORDS = 0.25
"""Of a question without a content word: amid those of answered and of other questions."""
_HONORIFICS = content_stems(" ".join(HONORIFICS))
_ROLES = content_stems(" ".join(ROLE_NOUNS)) | _HONORIFICS
_LEAST_WORDS = 2
_ASKS_ALONE = DETERMINERS | (
    words_of(WordClass.ASKING, WordClass.ASKS_PERSON, WordClass.DO) & FUNCTION_WORDS
)
"""Words of a question that no reply need say."""
LEAST = 0.5
"""Below that a question counts as not answered."""


def answerable(
    index: LineIndex, question: Question, fits: Fits, foreign: str, embedder: Embedder
) -> float | None:
    """How likely the sources answer the question, 0 to 1; None where cosines of the embedder don't
    tell, or the question or most of the lines aren't English: an English embedder puts texts of one
    other language near each other, whatever they say, and no word of a question stands in the lines
    of another language. `foreign`: of `foreign_language`.
    """
    if not index.snapshot.scale.tells_answers or foreign:
        return None
    if not fits.sentences:
        return 0.0
    if fits.held.is_answered or any(
        not s.says_nothing for s in sentences_asked_for(index, question, fits)
    ):
        return 1.0
    found = signs(index, question, fits, embedder)
    score = BIAS + sum(weight * sign for weight, sign in zip(WEIGHTS, found, strict=True))
    return round(1.0 / (1.0 + exp(-score)), 4)


def sentences_asked_for(index: LineIndex, question: Question, fits: Fits) -> list[PassageSentence]:
    """Those of the people for whose words a question asks without saying what about: "What did Ann
    report?"; those that say most where there are any. None of any other question.
    """
    people = frozenset(chain.from_iterable(index.speakers.people_in(question.text)))
    if not asks_for_all_words(question.text, people):
        return []
    own = [s for s in fits.sentences if s.speaker in people]
    names = content_stems(" ".join(index.speakers.labels))
    return [s for s in own if len(s.stems - names) >= _LEAST_WORDS] or own


def not_judged(embedder: str, language: str) -> str:
    """Why nothing is said of whether anything fits: with this embedder, or of a question or sources
    in this language.
    """
    of = f" for {language}" if language else ""
    return f"whether anything fits isn't judged{of} with the embedder {embedder}"


def foreign_language(question: Question, fits: Fits) -> str:
    """The name of the question's language where that isn't English, else that of the sources: of
    most of the lines that were looked at. Empty where both are English, or it can't be told.
    """
    asked = language_of_question(question.text)
    if asked not in _LANGUAGES:
        return language_name(asked)
    texts: dict[int, list[str]] = {}
    for sentence in fits.sentences:
        texts.setdefault(sentence.row, []).append(sentence.text)
    joined = [(" ".join(lines), len(lines)) for lines in texts.values()]
    untold = [(text, num) for text, num in joined if not is_plainly_english(text)]
    if 2 * sum(num for _, num in untold) <= len(fits.sentences):
        return ""  # without the library that tells languages, which takes a second to begin
    foreign: Counter[str] = Counter()
    for text, num in untold:
        foreign[language_of(text)] += num
    for code in _LANGUAGES:
        del foreign[code]
    if 2 * foreign.total() <= len(fits.sentences):
        return ""
    return language_name(max(foreign, key=lambda code: foreign[code]))


def language_of_clips(index: LineIndex, clips: Sequence[Clip]) -> str:
    """The name of the language, other than English, of at least half of these clips' documents;
    empty where there is none.
    """
    passages, row_of = index.snapshot.passages, index.passages.row_of
    codes = Counter(index.language(passages[row_of[clip.id]].document_id) for clip in clips)
    foreign = Counter({code: num for code, num in codes.items() if code not in _LANGUAGES})
    if not foreign or 2 * foreign.total() < len(clips):
        return ""
    return language_name(foreign.most_common(1)[0][0])


def holds_all_words(question: Question, sentences: Iterable[PassageSentence]) -> bool:
    """Whether one of these English sentences holds all of the question's content words, two at
    least, in any form of a verb (break, broke); names of its own speaker need not be said.
    """
    forms: dict[str, set[str]] = {}
    for word in WORD.findall(question.text.casefold()):
        for stem in content_stems(word) - _HONORIFICS:
            same = content_stems(" ".join(verb_forms(word)))
            forms.setdefault(stem, {stem}).update(same)
    for sentence in sentences:
        speaker = content_stems(sentence.speaker or "")
        wanted = [own for stem, own in forms.items() if stem not in speaker]
        if len(wanted) >= _LEAST_WORDS and not any(map(sentence.stems.isdisjoint, wanted)):
            return True
    return False


def holds_every_word(question: Question, sentences: Iterable[PassageSentence]) -> bool:
    """Whether one of these English sentences holds every word of the question but those that ask,
    two at least and no function words alone, verbs in any form: "Who would rather wait?" and "I
    would rather wait.".
    """
    words = set(WORD.findall(question.text.casefold())) - _ASKS_ALONE
    for sentence in sentences:
        speaker = {word.casefold() for word in WORD.findall(sentence.speaker or "")}
        wanted = words - speaker
        if len(wanted) < _LEAST_WORDS or wanted <= FUNCTION_WORDS:
            continue
        held = {word.casefold() for word in WORD.findall(sentence.text)}
        if all(word in held or not held.isdisjoint(verb_forms(word)) for word in wanted):
            return True
    return False


def not_judged_line(language: str) -> str:
    """Says so to a reader; empty without a language."""
    return (
        f"Whether anything in the sources answers it is not judged for {language}."
        if language
        else ""
    )


def signs(index: LineIndex, question: Question, fits: Fits, embedder: Embedder) -> Signs:
    """The signs of a question. Speakers need not say the name or the role ("the pilot") by which
    they are asked for, and a name says nothing of the topic.
    """
    people = tuple(chain.from_iterable(index.speakers.people_in(question.text)))
    talk = asked_talk(question.text, index.speakers.people_in(question.text))
    verb = question.text[slice(*talk.verb)] if talk else ""
    wanted = content_stems(without_verbs_of_saying(question.text, people)) - content_stems(verb)
    possible = _ROLES.union(*map(content_stems, index.speakers.named_in(question.text)))
    wanted -= {word for word in possible if not index.is_known(word)}
    if names := content_stems(" ".join(people)):
        wanted = (wanted - names - _HONORIFICS) or wanted
    words = question_words(question.text, {word: index.rarity(word) for word in wanted})
    said = [i for i in fits.order() if not fits.sentences[i].says_nothing]
    lines = [fits.sentences[i] for i in said]
    best = max((float(fits.parts["stretch"][i]) for i in said), default=0.0)
    return Signs(
        words=words_nearness(index, question.text, words, lines, embedder) if words else NO_WORDS,
        stretch=index.snapshot.scale.of_best(best, index.unrelated_best),
        size=sqrt(2.0 * log(max(2, len(index.snapshot.passages)))),
    )
