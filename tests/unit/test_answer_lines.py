"""What the command line prints of evidence: the best line first, its neighbours under it, five
lines, and whether anything fits.
"""

from dataclasses import replace

import pytest

from dynagrag.core.schema import (
    Answer,
    AnswerTrace,
    Citation,
    Clip,
    EdgeTrace,
    EvidenceLine,
    NodeTrace,
    OtherPerson,
    PromptTrace,
    SubgraphTrace,
    Usage,
)
from dynagrag.generation.answer import UNANSWERED
from dynagrag.generation.evidence_sentences.answerable import NOTHING_FITS
from dynagrag.generation.stored_answer import answer_json, answer_of
from dynagrag.workspace.text_reports import answer_lines, citation_line

LONG = (
    "We had looked at pictures all morning, and nobody knew what they were. I got very excited, in"
    " part because the telescope could see the first galaxies of all, and in part because it was"
    " new. Then there was lunch, and everybody talked about something else for an hour or two."
)


def citation(quote: str, speaker: str | None = "ANN", start: int = 0) -> Citation:
    return Citation("p", "Talk", start, start + len(quote), speaker, 61.0, quote)


def line(number: int) -> EvidenceLine:
    quote = f"Line {number} says\nwhat it says."
    before, after = (
        citation("Which line is it?", "BOB", 0),
        citation("Thank you for the line.", "BOB", 90),
    )
    return EvidenceLine(
        "p",
        "Talk",
        20,
        20 + len(quote),
        "ANN",
        61.0,
        quote,
        20,
        20 + len(quote),
        1.0 - number / 10,
        before,
        after,
    )


def answer(num_lines: int, **more: object) -> Answer:
    lines = tuple(line(i) for i in range(num_lines))
    made = Answer(
        "Which line?",
        UNANSWERED,
        True,
        (),
        (),
        lines,
        AnswerTrace(retriever="hybrid"),
        Usage(),
        is_answered_by_model=False,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def test_a_line_stands_with_what_was_said_before_and_after_it() -> None:
    assert list(answer_lines(answer(1))) == [
        UNANSWERED,
        '  - Talk, ANN 1:01: "Line 0 says what it says."',
        '      before, BOB 1:01: "Which line is it?"',
        '      after, BOB 1:01: "Thank you for the line."',
    ]


def test_titles_are_left_out_where_they_say_nothing() -> None:
    clip = Clip("p", "Talk", 0, 17, (citation("Which line is it?", "BOB"),), ((0, 17),), (0, 17))
    rows = list(answer_lines(answer(1, clips=(clip,)), has_titles=False))
    assert "  1. 1:01" in rows
    rows += answer_lines(answer(1), has_titles=False)
    assert '  - ANN 1:01: "Line 0 says what it says."' in rows
    assert not any("Talk" in row for row in rows)


@pytest.mark.parametrize(
    ("there", "asked", "shown", "hidden"),
    [(7, None, 5, 2), (7, 2, 2, 5), (7, 20, 7, 0), (3, None, 3, 0)],
)
def test_five_lines_are_shown_or_as_many_as_are_asked_for(
    there: int, asked: int | None, shown: int, hidden: int
) -> None:
    rows = list(
        answer_lines(answer(there))
        if asked is None
        else answer_lines(answer(there), num_lines=asked)
    )
    assert sum(row.startswith("  - ") for row in rows) == shown
    assert any(f"and {hidden} more lines (--lines" in row for row in rows) is (hidden > 0)


def test_who_of_several_speakers_says_nothing_near_a_question_is_told() -> None:
    rows = list(answer_lines(answer(2, quiet_speakers=("Ann", "Bob"))))
    assert rows[1] == (
        "Nothing that comes near this question was found for Ann or Bob. The nearest lines:"
    )


def test_that_nothing_fits_is_said_before_the_nearest_lines() -> None:
    rows = list(answer_lines(answer(2, is_nothing_fitting=True, answerable=0.1)))
    assert rows[:2] == [UNANSWERED, f"{NOTHING_FITS} The nearest lines:"]
    assert list(answer_lines(answer(0, is_nothing_fitting=True)))[1:] == [
        NOTHING_FITS,
        "  nothing was found",
    ]


def test_a_name_that_no_document_has_is_told_before_the_nearest_lines() -> None:
    unknown = (
        "The name Ginsburg occurs nowhere in these documents, and nobody who speaks in them has it."
    )
    rows = list(answer_lines(answer(2, unknown_names={"Ginsburg": ()})))
    assert rows[:2] == [UNANSWERED, f"{unknown} The nearest lines:"]
    both = answer(
        2, unknown_names={"Ginsburg": ("Ann Ginsberg", "Bo Ginsbu")}, is_nothing_fitting=True
    )
    assert (
        list(answer_lines(both))[1]
        == f"{unknown} The nearest: Ann Ginsberg, Bo Ginsbu. {NOTHING_FITS} The nearest lines:"
    )
    answered = answer(
        2,
        text="It is line 3.",
        is_abstained=False,
        is_answered_by_model=True,
        unknown_names={"Ginsburg": ()},
    )
    assert list(answer_lines(answered)) == [unknown, "It is line 3."]


def test_that_fit_is_not_judged_in_a_language_is_said_before_the_nearest_lines() -> None:
    made = answer(2, unjudged_language="German")
    unjudged = "Whether anything in the sources answers it is not judged for German."
    assert list(answer_lines(made))[:2] == [UNANSWERED, f"{unjudged} The nearest lines:"]
    assert answer_of(answer_json(made)).unjudged_language == "German"


def test_that_nothing_fits_is_said_before_a_model_s_answer_too() -> None:
    answered = answer(
        2,
        text="It is line 3.",
        is_abstained=False,
        is_answered_by_model=True,
        is_nothing_fitting=True,
    )
    assert list(answer_lines(answered)) == [NOTHING_FITS, "It is line 3."]


def subgraph(num_edges: int) -> PromptTrace:
    nodes = tuple(
        NodeTrace(
            id=name,
            name=name,
            type="",
            weight=1,
            hops=0,
            score=1.0,
            place=1,
            depth=0,
            parent=None,
            is_in_prompt=True,
        )
        for name in ("Ada", "Acme")
    )
    edges = tuple(
        EdgeTrace(
            source=0,
            target=1,
            labels=(f"founded {i}",),
            weight=1,
            score=1.0,
            is_in_prompt=True,
            prize=float(i),
        )
        for i in range(num_edges)
    )
    drawn = SubgraphTrace(nodes=nodes, edges=edges, num_nodes=2, num_edges=num_edges)
    return PromptTrace(
        centre="Ada",
        score=1.0,
        walked=(),
        num_unvisited=0,
        pruner="",
        num_tokens=1,
        num_lines_cut=0,
        labels=(),
        evidence_ids=(),
        text="",
        num_nodes_in=2,
        num_relations_in=num_edges,
        subgraph=drawn,
    )


def test_what_was_retrieved_of_the_graph_is_shown_where_nothing_answers() -> None:
    trace = AnswerTrace(retriever="pcst", subgraph_kind="tree", prompts=(subgraph(7),))
    best = "; ".join(f"Ada —founded {i}→ Acme" for i in (6, 5, 4, 3, 2))
    assert (
        list(answer_lines(answer(1, trace=trace)))[-1]
        == f"  tree: 2 entities, 7 relations: {best}; ..."
    )
    assert not any(
        "tree: " in row
        for row in answer_lines(answer(1, trace=trace, text="x", is_answered_by_model=True))
    )
    several = AnswerTrace(retriever="grag", prompts=(subgraph(0), subgraph(1), *[subgraph(2)] * 3))
    assert list(answer_lines(answer(1, trace=several)))[-4:] == [
        "  ego-graph: 2 entities, 0 relations",
        "  ego-graph: 2 entities, 1 relation: Ada —founded 0→ Acme",
        "  ego-graph: 2 entities, 2 relations: Ada —founded 1→ Acme; ...",
        "  ... and 2 more ego-graphs (all are in --json, under trace.subgraphs)",
    ]


def test_a_model_that_abstains_leaves_the_nearest_lines() -> None:
    abstained = answer(
        1, text="The evidence found does not answer this question.", is_answered_by_model=True
    )
    assert any("Line 0 says" in row for row in answer_lines(abstained))


def test_a_long_citation_is_cut_around_the_sentence_that_answers() -> None:
    shown = citation_line("[E1]", citation(LONG), "Why was she excited about the telescope?")
    assert (
        "I got very excited, in part because the telescope could see the first galaxies of all, and"
        " in part because it was new." in shown
    )


def test_a_stored_answer_keeps_its_lines_and_what_was_found_of_their_fit() -> None:
    said = citation("I ran a race.", "BOB")
    made = answer(
        2,
        answerable=0.25,
        is_nothing_fitting=True,
        unknown_names={"Kegan": ("Elena Kagan",)},
        quiet_speakers=("Ann",),
        other_person=OtherPerson("Ann", "Bob", said),
    )
    stored = answer_json(made)
    assert (stored["nothing_fits"], stored["answerable"]) == (True, 0.25)
    assert stored["trace"]["evidence"][0]["after"]["quote"] == "Thank you for the line."
    assert answer_of(stored).evidence == made.evidence
    assert (answer_of(stored).answerable, answer_of(stored).is_nothing_fitting) == (0.25, True)
    assert answer_of(stored).unknown_names == {"Kegan": ("Elena Kagan",)}
    assert answer_of(stored).quiet_speakers == ("Ann",)
    assert stored["other_person"]["line"]["quote"] == said.quote
    assert answer_of(stored).other_person == OtherPerson("Ann", "Bob", said)


def test_an_answer_of_an_earlier_version_is_read_without_them() -> None:
    stored = answer_json(answer(1))
    for key in ("answerable", "nothing_fits", "unknown_names", "quiet_speakers", "other_person"):
        del stored[key]
    for row in stored["trace"]["evidence"]:
        for key in ("match_start", "match_end", "fit", "before", "after"):
            del row[key]
    read = answer_of(stored)
    assert (
        read.answerable,
        read.is_nothing_fitting,
        read.unknown_names,
        read.evidence[0].after,
    ) == (None, False, {}, None)
    assert (read.quiet_speakers, read.other_person) == ((), None)
    assert read.evidence[0].quote == line(0).quote


def test_clips_are_shown_once_each_with_who_speaks_and_their_hits_between_stars() -> None:
    asked, reply = (
        citation("Which line is it?", "BOB"),
        citation("It is  the\nthird. Yes.", "ANN", 20),
    )
    clip = Clip("p", "Talk", 0, 42, (asked, reply), ((20, 37),), (20, 37))
    made = answer(7, clips=(clip,))
    assert [row for row in answer_lines(made) if row.startswith("  ")] == [
        "  1. 1:01, Talk",
        '     BOB 1:01: "Which line is it?"',
        '     ANN 1:01: "**It is the third.** Yes."',
        "  (** marks what fits best; --lines N shows N of 7 single lines)",
    ]
    assert sum(row.startswith("  - ") for row in answer_lines(made, num_lines=2)) == 2
    of_side = answer(7, clips=(replace(clip, side="Ann"),))
    assert "  1. [Ann] 1:01, Talk" in list(answer_lines(of_side))
    assert answer_of(answer_json(of_side)).clips[0].side == "Ann"


def test_hits_stand_between_marks_that_the_words_do_not_have() -> None:
    said = citation("It is **not** so. Yes.", "ANN")
    made = answer(7, clips=(Clip("p", "Talk", 0, 22, (said,), ((0, 17),), (0, 17)),))
    rows = list(answer_lines(made))
    assert '     ANN 1:01: "[[It is **not** so.]] Yes."' in rows
    assert "  ([[ ]] marks what fits best; --lines N shows N of 7 single lines)" in rows


def test_nothing_is_marked_where_nothing_fits() -> None:
    said = citation("It is raining. Yes.")
    clip = Clip("p", "Talk", 0, 19, (said,), ((0, 14),), (0, 14))
    rows = list(answer_lines(answer(7, clips=(clip,), is_nothing_fitting=True)))
    assert '     ANN 1:01: "It is raining. Yes."' in rows
    assert "  (--lines N shows N of 7 single lines)" in rows


def test_words_of_nobody_among_those_of_speakers_do_not_look_like_the_last_one_s() -> None:
    turns = (
        citation("Who runs the mill?", "ANN"),
        Citation("p", "Talk", 20, 30, None, None, "My father."),
        Citation("p", "Talk", 31, 41, None, None, "Since 1931."),
        citation("I see.", "ANN", 42),
    )
    made = answer(7, clips=(Clip("p", "Talk", 0, 48, turns, ((20, 30),), (20, 30)),))
    assert [row.strip() for row in answer_lines(made) if row.startswith("     ")] == [
        'ANN 1:01: "Who runs the mill?"',
        'speaker unknown: "**My father.**"',
        '"Since 1931."',
        'ANN 1:01: "I see."',
    ]
    laughs = replace(turns[1], quote="[Laughs]", end=28)
    of_sounds = replace(made.clips[0], turns=(turns[0], laughs, turns[3]), hits=(), best=(0, 18))
    rows = [row.strip() for row in answer_lines(replace(made, clips=(of_sounds,)))]
    assert '"[Laughs]"' in rows
    alone = replace(made.clips[0], turns=turns[1:3], start=20, end=41)
    assert "speaker unknown" not in "\n".join(answer_lines(replace(made, clips=(alone,))))
