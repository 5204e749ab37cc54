"""Questions for comparing embedders, made of a workspace without a model and without its graph,
which another embedder would make otherwise.

reply    a question that is asked in the recordings, of the words of whoever replies; what should be
         found is their reply, where no passage holds both
lookup   the commoner half of a line's content words, as somebody half remembers it; what should be
         found is the line

Both have words of the recordings, so search by words finds much of it, and embedders differ less
than they may on questions that people ask.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest

from dynagrag.core.ids import content_id
from dynagrag.core.schema import Document, Snapshot, Turn
from dynagrag.core.text import collapse
from dynagrag.evaluation.evidence.evidence_questions import EvidenceQuestion
from dynagrag.evaluation.question_sets.question_set import TurnSpan
from dynagrag.evaluation.questions.diverse_order import diverse_order
from dynagrag.evaluation.questions.sayings import Sayings, known_speaker
from dynagrag.language.sentences import sentence_spans
from dynagrag.retrieval.terms import TermReader

REPLY, LOOKUP = "reply", "lookup"
_MIN_ASKED, _MIN_REPLIED = 5, 8
"""Words of a question that asks something by itself, and of a reply that says something."""
_MIN_CONTENT, _MIN_KEPT = 6, 4
"""Content words of a line that is looked for, and of those that are kept."""
_MAX_SHARE, _MAX_FEW = 0.05, 2
"""Of the lines, and at least so many, may have a content word, where the line has enough of others:
there isn't a list of function words for every language.
"""


def made_lookups(snapshot: Snapshot, num: int, seed: int) -> list[EvidenceQuestion]:
    """At most `num` questions, both kinds in turn as long as they last, spread over documents and
    speakers.
    """
    maker = _Maker(snapshot)
    kinds = [
        diverse_order(own, (lambda q: q.document, lambda q: q.speaker), random.Random(f"{seed}"))
        for own in (list(maker.replies()), list(maker.lookups()))
    ]
    in_turn = chain.from_iterable(zip_longest(*kinds))
    alike = Counter(question.text.casefold() for own in kinds for question in own)
    chosen = (own for own in in_turn if own is not None and alike[own.text.casefold()] == 1)
    return list(chosen)[:num]


@dataclass(frozen=True)
class _Maker:
    snapshot: Snapshot

    def replies(self) -> Iterator[EvidenceQuestion]:
        """Of turns that end with a question, where somebody else goes on."""
        for id_, document in self.snapshot.documents.items():
            turns = self.snapshot.turns.get(id_, ())
            for asking, replying in pairwise(turns):
                speaker = known_speaker(replying)
                question = _asked(document, asking)
                if not (speaker and question) or speaker == known_speaker(asking):
                    continue
                words = document.text[replying.start : replying.end].split()
                if len(words) >= _MIN_REPLIED and not self._are_together(asking, replying):
                    yield self._question(REPLY, question, id_, replying.index, speaker)

    def lookups(self) -> Iterator[EvidenceQuestion]:
        """Of lines that say something, each once in the workspace."""
        terms = TermReader(self.snapshot.documents)
        every = Sayings(self.snapshot).every
        content = [_content_words(own.text, own.document_id, terms) for own in every]
        frequency = Counter(chain.from_iterable({term for _, term in own} for own in content))
        most = max(_MAX_FEW, _MAX_SHARE * len(every))
        for saying, own in zip(every, content, strict=True):
            rare = [(word, term) for word, term in own if frequency[term] <= most]
            words = rare if len(rare) >= _MIN_CONTENT else own
            if len(words) < _MIN_CONTENT:
                continue
            num = max(_MIN_KEPT, len(words) // 2)
            common = sorted(range(len(words)), key=lambda i: -frequency[words[i][1]])[:num]
            text = " ".join(words[i][0] for i in sorted(common))
            yield self._question(LOOKUP, text, saying.document_id, saying.turn, "", saying.text)

    def _are_together(self, asking: Turn, replying: Turn) -> bool:
        """Whether a passage holds words of both: its vector would lead from one to the other."""
        return any(
            passage.document_id == asking.document_id
            and passage.start < asking.end
            and replying.start < passage.end
            for passage in self.snapshot.passages
        )

    def _question(
        self, kind: str, text: str, document: str, turn: int, speaker: str, line: str = ""
    ) -> EvidenceQuestion:
        has_turns = bool(self.snapshot.turns.get(document))
        return EvidenceQuestion(
            id=content_id(kind, document, turn, text)[:12],
            text=text,
            decisive=() if has_turns else (line,),
            turns=(TurnSpan(document, turn, turn),) if has_turns else (),
            document=document,
            speaker=speaker,
            kind=kind,
        )


def _asked(document: Document, turn: Turn) -> str:
    """The question that a turn ends with; empty where it doesn't."""
    text = document.text[turn.start : turn.end]
    start, end = next(reversed(sentence_spans(text)), (0, 0))
    sentence = collapse(text[start:end])
    is_question = sentence.endswith(("?", "？", "؟")) and len(sentence.split()) >= _MIN_ASKED
    return sentence if is_question else ""


def _content_words(text: str, document: str, terms: TermReader) -> Sequence[tuple[str, str]]:
    """The content words of a line, each once, with the term that each is counted by."""
    words = (word.strip(".,;:!?\"'()[]…“”‘’") for word in text.split())
    found: dict[str, str] = {}
    for word in words:
        if own := terms.of_text(word, document):
            found.setdefault(own[0], word)
    return [(word, term) for term, word in found.items()]
