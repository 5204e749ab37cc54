"""Arms that answer: that they differ where they should and have equal room, and that a run of them
is durable.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import PROFILES, load_settings
from dynagrag.core.errors import (
    BudgetError,
    CutOffReplyError,
    InvalidReplyError,
    ModelUnavailableError,
    UsageError,
)
from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import Verdict
from dynagrag.evaluation.answers.answer_arms import (
    AskedQuestion,
    known_answer_arms,
    make_answer_arms,
    pruners_made_with,
)
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate
from dynagrag.evaluation.answers.answer_line import AnswerLine, last_lines
from dynagrag.evaluation.answers.answer_run import ANSWERS, make_answers, missing_answers
from dynagrag.evaluation.answers.answering import open_answering
from dynagrag.evaluation.frame.lines_file import LinesFile
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply, unsettled_reply
from dynagrag.generation.citations import cited_labels
from dynagrag.workspace.facade import Workspace, open_workspace

TALK = "\n".join(
    f"LEO: Person Number{i} works at Company Letter{chr(65 + i % 26)}. Company"
    f" Letter{chr(65 + i % 26)} is located in Town{i}. It rained in week {i} and nobody minded the"
    " puddles of that week, as people say in such weeks."
    for i in range(120)
)
WITH_EVIDENCE = [name for name in known_answer_arms() if ":" not in name and name != "closed-book"]
FOUR = ("default", "naive", "closed-book", "gold")


def opened() -> Workspace:
    return open_workspace("w", chat_model=FakeChat(), embedder=FakeEmbedder(64), checker="rules")


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose workspace `w` has two talks: filled by the first test, copied for each."""
    return tmp_path_factory.mktemp("ingested") / "home"


@pytest.fixture
def space(
    tmp_path: Path, home: Path, ingested: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    monkeypatch.chdir(tmp_path)
    if not ingested.exists():
        source = Path("talks")
        source.mkdir()
        (source / "one.txt").write_text(TALK, encoding="utf-8")
        (source / "two.txt").write_text(
            "MIA: Person Number7 works at Nowhere Ltd. The sun shone all week.", encoding="utf-8"
        )
        with opened() as made:
            made.ingest([source])
        shutil.copytree(home, ingested)
    else:
        shutil.copytree(ingested, home)
    with opened() as made:
        yield made


def questions(space: Workspace, num: int = 3, **more: Any) -> list[AskedQuestion]:
    """Questions whose gold is the first passage that names the person."""
    snapshot = space.current_graph.snapshot()
    found = []
    for i in range(num):
        gold = [p.id for p in snapshot.passages if f"Number{i} works" in snapshot.passage_text(p)]
        found.append(
            AskedQuestion(
                f"q{i}", f"Where does Person Number{i} work?", gold=tuple(gold[:1]), **more
            )
        )
    return found


@pytest.fixture
def answer(space: Workspace, tmp_path: Path) -> Callable[..., list[AnswerLine]]:
    def call(
        chat: FakeChat,
        arms: Sequence[str],
        asked: Sequence[AskedQuestion] | None = None,
        max_calls: int | None = None,
        at_once: int = 1,
        **more: Any,
    ) -> list[AnswerLine]:
        lines, settings = (
            LinesFile(tmp_path / ANSWERS, AnswerLine),
            space.settings.model_copy(update={"max_concurrency": at_once}),
        )
        with open_answering(settings, max_calls, chat) as answering:
            made = make_answer_arms(
                arms,
                score_with=more.pop("score_with", None)
                or (lambda model: lambda question, texts: [0.0] * len(texts)),
            )
            make_answers(
                space,
                answering,
                questions(space) if asked is None else asked,
                made,
                lines,
                space.settings,
                **more,
            )
        return lines.lines()

    return call


def prompts_of(chat: FakeChat, name: str = "intermediate") -> list[str]:
    return [prompt.user for prompt in chat.prompts if prompt.name == name]


# --------------------------------------------------------------------------------------------- arms


def test_arms_put_different_things_before_the_model_where_they_should(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    asked = questions(space, 1)
    seen: dict[str, tuple[str, ...]] = {}
    for arm in (*WITH_EVIDENCE, "closed-book"):
        chat = FakeChat(
            unsettled_reply, identity=arm
        )  # no reply of another arm is taken from the cache
        answer(chat, [arm], asked)
        seen[arm] = tuple(sorted(prompts_of(chat)))
    assert seen.pop("dsa-diverse") == seen.pop("paper")
    assert seen.pop("bridge-ppr") == seen.pop("default")
    assert seen.pop("closed-book") == ()
    assert seen["gold"][0].count("[E") < seen["naive"][0].count("[E")
    assert len(set(seen.values())) == len(seen)
    assert len(seen["graph"]) == len(seen["bfs-diverse"]) == len(seen["bfs-cosine"]) == 5
    assert len(seen["naive"]) == 1
    assert len(seen["naive-parts"]) == PROFILES["default"].num_prompts


def test_naive_in_parts_answers_the_passages_of_naive_each_once_and_merges(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    asked = [AskedQuestion("q", "Who works where?")]
    whole, parts = FakeChat(identity="whole"), FakeChat(identity="parts")
    answer(whole, ["naive"], asked)
    (line,) = (own for own in answer(parts, ["naive-parts"], asked) if own.arm == "naive-parts")
    shown = [
        re.findall(r"^\[E\d+\] (.*)$", "\n".join(prompts_of(chat)), re.MULTILINE)
        for chat in (whole, parts)
    ]
    assert len(shown[1]) == len(set(shown[1])) >= len(shown[0]) - len(prompts_of(parts))
    assert len(set(shown[1]) & set(shown[0])) > 0.7 * len(shown[0]), (
        "lines stay whole, so five prompts take others at their ends"
    )
    assert Counter(prompt.name for prompt in parts.prompts)["merge"] == 1
    assert line.citations


def test_the_default_of_a_small_model_is_the_one_that_ask_has(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    chat = FakeChat(unsettled_reply, is_small=True)
    asked = questions(space, 1)
    answer(chat, ["default"], asked)
    own = FakeChat(unsettled_reply, is_small=True)
    space.ask(asked[0].text, chat_model=own)
    assert sorted(prompts_of(chat)) == sorted(prompts_of(own))
    assert len(prompts_of(own)) > 1


def test_all_arms_have_room_for_as_many_tokens_and_fill_it(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    default = PROFILES["default"]
    room = default.num_prompts * default.subgraph_token_budget
    asked = [
        AskedQuestion(
            "q",
            "Who works where?",
            gold=tuple(p.id for p in space.current_graph.snapshot().passages),
        )
    ]
    tokens = {line.arm: line.context_tokens for line in answer(FakeChat(), WITH_EVIDENCE, asked)}
    assert (
        tokens.pop("global")
        <= PROFILES["global"].num_prompts * PROFILES["global"].subgraph_token_budget
    )  # a room of its own
    assert (
        0 < tokens.pop("pcst") < tokens.pop("triples") < room
    )  # a tree, and ten facts, whatever room there is
    plain = [tokens[arm] for arm in ("default", "naive", "hybrid", "rrf", "bridge-ppr", "gold")]
    assert (
        0.7 * room < max(tokens.values()) <= room
    )  # the instructions take their part of each prompt's budget
    assert max(tokens.values()) - min(plain) < 0.03 * room
    # an ego-graph ends where its records do, and each of five prompts where a line doesn't fit
    assert min(tokens.values()) > 0.75 * max(plain)


def test_gold_shows_the_gold_alone_and_without_any_it_abstains_without_a_call(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    chat = FakeChat()
    asked = [*questions(space, 1), AskedQuestion("none", "Who sings?")]
    shown, unanswered = answer(chat, ["gold"], asked, at_once=1)
    assert "Number0 works" in shown.citations[0].quote
    assert "Number0 works" in prompts_of(chat)[0]
    assert "Number40" not in prompts_of(chat)[0]
    assert (unanswered.is_abstained, unanswered.calls, unanswered.context_tokens) == (True, 0, 0)


def test_a_question_of_one_document_is_answered_from_it(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    two = next(d.id for d in space.store.documents() if d.uri.endswith("two.txt"))
    asked = [AskedQuestion("q", "Where does Person Number7 work?", "document", (two,))]
    lines = answer(FakeChat(), ["default", "graph", "naive"], asked)
    assert {citation.document for line in lines for citation in line.citations} == {two}


def test_a_reranker_puts_passages_in_the_order_of_its_scores(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    chat = FakeChat()

    def score_with(model: str) -> Callable[[str, Sequence[str]], list[float]]:
        assert model == "some/model:v1"
        return lambda question, texts: [float("week 5 " in text) for text in texts]

    answer(chat, ["rerank:some/model:v1"], questions(space, 1), score_with=score_with)
    first = next(line for line in prompts_of(chat)[0].splitlines() if line.startswith("[E1]"))
    assert "Number5 " in first or "Number4 " in first


def test_closed_book_sees_no_evidence_cites_nothing_and_may_not_know(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    def rule(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        return json.dumps({"answer": "At Letter A. ", "is_known": "Number0" in prompt.user})

    chat = FakeChat(rule)
    known, unknown = answer(chat, ["closed-book"], questions(space, 2))
    assert [prompt.name for prompt in chat.prompts] == ["closed_book", "closed_book"]
    assert "works" not in "".join(prompt.user for prompt in chat.prompts)
    assert (known.answer, known.citations, known.claims.total, known.context_tokens) == (
        "At Letter A.",
        (),
        0,
        0,
    )
    assert (known.is_abstained, unknown.is_abstained) == (False, True)


def test_an_arm_may_name_its_pruner_and_the_run_says_which_was_meant(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    arms = make_answer_arms(["naive", "pruner:none", "pruner:prior"])
    assert pruners_made_with(space, arms) == {
        "pruners": {"pruner:none": "none", "pruner:prior": "prior"}
    }
    assert pruners_made_with(space, arms[:1]) == {}
    with pytest.raises(UsageError, match="no trained pruner"):
        pruners_made_with(space, make_answer_arms(["pruner:trained"]))
    short = [d.id for d in space.store.documents() if "two" in d.title]
    asked = [AskedQuestion("q", "Where does Person Number7 work?", documents=tuple(short))]
    shown = []
    for name in ("graph", "pruner:prior", "pruner:none"):
        chat = FakeChat(unsettled_reply)
        answer(chat, [name], asked)
        shown.append(
            {prompt.user for prompt in chat.prompts if prompt.name.startswith("intermediate")}
        )
    of_graph, by_prior, by_none = shown
    assert of_graph
    assert not by_prior, "the same prompts, whose replies are in the cache"
    assert by_none, "scores stand in the prompts"


# -------------------------------------------------------------------------------------------- lines


def test_a_line_holds_the_answer_its_citations_and_what_it_took(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    chat = FakeChat()
    (line,) = answer(chat, ["default"], questions(space, 1, is_short=True))
    own = space.ask(line.text, chat_model=FakeChat())
    assert line.answer == own.text
    assert cited_labels(line.answer)
    assert not cited_labels(line.plain)
    assert [c.quote for c in line.citations] == [c.quote for c in own.citations]
    texts = {d.id: d.text for d in space.store.documents()}
    assert all(texts[c.document][c.start : c.end] == c.quote for c in line.citations)
    assert line.claims.total == len(own.claims)
    assert (
        line.claims.stated
        == tuple(claim.text for claim in own.claims if claim.verdict is Verdict.STATED)
        != ()
    )
    assert line.calls == chat.num_calls
    assert line.short == "none"  # what the fake says
    assert "shorten" not in line.answer
    assert line.prompt_tokens > line.context_tokens > 0


def test_an_answer_from_the_cache_counts_what_it_took_when_it_was_made(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    chat = FakeChat(delay_s=0.02)
    made, again = answer(chat, ["default", "bridge-ppr"], questions(space, 1))
    assert (made.calls, made.cached, again.calls, again.cached) == (
        chat.num_calls,
        0,
        0,
        chat.num_calls,
    )
    assert (made.prompt_tokens, made.completion_tokens) == (
        again.prompt_tokens,
        again.completion_tokens,
    )
    assert again.seconds >= 0.02 * chat.num_calls


def test_what_abstains_is_not_shortened(answer: Callable[..., list[AnswerLine]]) -> None:
    chat = FakeChat()
    (line,) = answer(chat, ["gold"], [AskedQuestion("q", "Who?", is_short=True)])
    assert (line.short, chat.num_calls) == ("", 0)


# --------------------------------------------------------------------------------------------- runs


def test_a_failed_answer_is_kept_with_its_reason_and_tried_again(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    def rule(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        return (
            "no"
            if "Number1 " in prompt.user.rpartition("Question")[2]
            else simple_reply(prompt, schema)
        )

    first = answer(FakeChat(rule), FOUR)
    failed = [line for line in first if line.error]
    assert {line.question for line in failed} == {"q1"}
    assert len(first) == 12
    assert all(not line.answer for line in failed)
    chat = FakeChat()
    again = answer(chat, FOUR)
    assert len(again) == 12 + len(failed)
    assert not any(line.error for line in last_lines(again).values())
    assert missing_answers(questions(space), make_answer_arms(FOUR), again) == []


def test_a_reply_without_an_end_is_kept_with_its_cost_and_not_asked_again(
    answer: Callable[..., list[AnswerLine]],
) -> None:
    def cut(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        raise CutOffReplyError("the reply hit its limit")

    found = answer(FakeChat(cut), ["closed-book"])
    assert all(line.is_cut_off and not line.has_failed and line.calls == 1 for line in found)
    again = FakeChat()
    assert answer(again, ["closed-book"]) == found
    assert again.num_calls == 0


@pytest.mark.parametrize(
    ("prompt_name", "arm", "short"),
    [("intermediate", "naive-parts", None), ("short_answer", "closed-book", "")],
)
def test_parts_of_an_answer_that_could_not_be_had_are_counted(
    answer: Callable[..., list[AnswerLine]],
    space: Workspace,
    prompt_name: str,
    arm: str,
    short: str | None,
) -> None:
    cut: set[str] = set()

    def rule(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        if prompt.name == prompt_name and prompt_name not in cut:
            cut.add(prompt_name)
            raise CutOffReplyError("the reply hit its limit")
        return simple_reply(prompt, schema)

    (line,) = answer(FakeChat(rule), [arm], questions(space, 1, is_short=short is not None))
    assert (line.error, line.is_cut_off, line.failed_parts, line.short) == ("", False, 1, short)
    assert line.answer


@pytest.mark.parametrize("max_concurrency", [1, 8])
def test_a_model_that_never_answers_stops_the_run_after_twenty(
    answer: Callable[..., list[AnswerLine]], space: Workspace, tmp_path: Path, max_concurrency: int
) -> None:
    def refuse(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        raise InvalidReplyError("I can't help with that")

    chat = FakeChat(refuse)
    with pytest.raises(
        ModelUnavailableError, match=r"the last 20 answers failed: I can't help with that$"
    ):
        answer(chat, ["default", "naive"], questions(space, 40), at_once=max_concurrency)
    assert 20 <= len(LinesFile(tmp_path / ANSWERS, AnswerLine).lines()) < 20 + max_concurrency


def test_a_success_between_failures_lets_the_run_go_on(
    answer: Callable[..., list[AnswerLine]], space: Workspace
) -> None:
    failed, known = (
        [ModelUnavailableError("gone")] * 14,
        '{"answer": "It is known.", "is_known": true}',
    )
    lines = answer(
        FakeChat(script=[*failed, known, *failed, known, *failed[:10]]),
        ["closed-book"],
        questions(space, 40),
    )
    assert (len(lines), sum(not line.error for line in lines)) == (40, 2)


def test_the_budget_stops_the_run_and_a_later_one_goes_on_without_a_call_twice(
    answer: Callable[..., list[AnswerLine]],
) -> None:
    chat = FakeChat()
    with pytest.raises(BudgetError):
        answer(chat, FOUR, max_calls=5)
    assert chat.num_calls == 5
    lines = answer(chat, FOUR)
    assert len(lines) == 12
    assert max(Counter((p.name, p.user) for p in chat.prompts).values()) == 1


def test_the_estimate_is_close_and_its_first_call_is_not_paid_twice(
    answer: Callable[..., list[AnswerLine]],
) -> None:
    chat = FakeChat(delay_s=0.005)
    told: list[AnswersEstimate] = []
    lines = answer(chat, FOUR, on_estimate=told.append)
    counted, estimate = told
    assert (counted.seconds, counted.is_last) == (None, False)
    assert replace(estimate, seconds=None, is_last=False) == counted
    assert estimate.answers == len(lines) == 12
    made = Counter((p.name, p.user) for p in chat.prompts)
    assert max(made.values()) == 1
    assert abs(estimate.calls - sum(line.calls + line.cached for line in lines)) <= 3
    assert estimate.prompt_tokens == pytest.approx(
        sum(line.prompt_tokens for line in lines), rel=0.2
    )
    assert estimate.seconds is not None
    assert "12 answers" in str(estimate)
    assert answer(chat, FOUR, on_estimate=told.append) == lines
    assert len(told) == 2


def test_several_questions_at_once_give_the_same_lines(
    answer: Callable[..., list[AnswerLine]], space: Workspace, tmp_path: Path
) -> None:
    def bare(lines: Sequence[AnswerLine]) -> dict[Any, Any]:
        return {
            line.key: line.model_copy(update={"seconds": 0.0, "calls": 0, "cached": 0})
            for line in lines
        }

    asked = questions(space, 12)
    together = answer(FakeChat(delay_s=0.005), FOUR, asked, at_once=8)
    (tmp_path / ANSWERS).unlink()
    assert bare(answer(FakeChat(identity="other"), FOUR, asked, at_once=1)) == bare(together)


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_answers import FOUR, LoggingChat, questions
from dynagrag.evaluation.answers.answer_arms import make_answer_arms
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.answers.answer_run import ANSWERS, make_answers
from dynagrag.evaluation.answers.answering import open_answering
from dynagrag.evaluation.frame.lines_file import LinesFile
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.workspace.facade import open_workspace

with open_workspace("w", embedder=FakeEmbedder(64), checker="rules", max_concurrency=1) as space:
    chat = LoggingChat(Path("calls.log"), int(sys.argv[2]))
    arms, lines = make_answer_arms(FOUR), LinesFile(Path(ANSWERS), AnswerLine)
    with open_answering(space.settings, None, chat) as answering:
        make_answers(space, answering, questions(space), arms, lines, space.settings)
"""


class LoggingChat(FakeChat):
    """Writes each call into a file, and kills its process at one of them, before it is answered."""

    def __init__(self, log: Path, kill_at: int | None = None) -> None:
        super().__init__(unsettled_reply, is_small=True)
        self._log = log
        self._kill_at = kill_at

    def reply(self, prompt: Prompt, schema: Mapping[str, Any] | None, max_tokens: int) -> Any:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps([prompt.name, prompt.user]) + "\n")
        if self.num_calls + 1 == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().reply(prompt, schema, max_tokens)


@pytest.mark.slow
@pytest.mark.parametrize("kill_at", [2, 7, 12])
def test_a_killed_run_is_resumed_without_any_call_twice(
    space: Workspace, tmp_path: Path, kill_at: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(kill_at)],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    log, lines = tmp_path / "calls.log", LinesFile(tmp_path / ANSWERS, AnswerLine)
    in_flight = log.read_text(encoding="utf-8").splitlines()[-1]
    before = lines.lines()
    with lines.path.open("a", encoding="utf-8") as file:
        file.write('{"scope": "corpus", "quest')
    lines.drop_torn_line()
    assert lines.lines() == before
    with open_answering(load_settings(), None, LoggingChat(log)) as answering:
        make_answers(
            space, answering, questions(space), make_answer_arms(FOUR), lines, space.settings
        )
    assert len(lines.lines()) == 12
    assert {
        call
        for call, num in Counter(log.read_text(encoding="utf-8").splitlines()).items()
        if num > 1
    } == {in_flight}
