"""The judging of what a run has left, of answers and of rows alike: each judgement is written down as it comes."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from pydantic import BaseModel

from dynagrag import wiring
from dynagrag.errors import ModelUnavailableError
from dynagrag.evaluation.batches import MAX_FAILED, gave_up, how_to_resume, in_batches
from dynagrag.evaluation.results.run_folder import KeptRun
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.settings import Settings

T = TypeVar("T")
SaidLine = TypeVar("SaidLine", bound=BaseModel)


def judge_left(
    left: Sequence[T],
    judge: Callable[[T], SaidLine],
    why_unreadable: Callable[[SaidLine], str],
    run: KeptRun[SaidLine],
    chat: MeteredChat,
    settings: Settings,
) -> Iterator[int]:
    """How many are judged and written down, each time that some are. `why_unreadable` is empty where something of a line can be read.

    Raises ModelUnavailableError where the judge can't be reached, and once where nothing of the last 20 could be read: a run that is
    resumed after that goes on to its end, and counts them.
    """

    def asked(item: T) -> SaidLine:
        try:
            return judge(item)
        except ModelUnavailableError as err:
            raise ModelUnavailableError(f"{err}; {how_to_resume(run.path)}") from err

    last = [why_unreadable(line) for line in run.lines()][-MAX_FAILED:]
    is_known, done = _has_failed(last), 0
    for lines in in_batches(left, asked, wiring.concurrency_of(chat.model, settings)):
        run.append(lines)
        done += len(lines)
        last = [*last, *map(why_unreadable, lines)][-MAX_FAILED:]
        yield done
        if _has_failed(last) and not is_known and done < len(left):
            raise gave_up(f"{MAX_FAILED} judgements", last[-1], run.path)


def _has_failed(last: Sequence[str]) -> bool:
    return len(last) == MAX_FAILED and all(last)
