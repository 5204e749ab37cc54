"""The judging of what a run has left, of answers and of rows alike: each judgement is written down as it comes."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from pydantic import BaseModel

from dynagrag import wiring
from dynagrag.errors import ModelUnavailableError
from dynagrag.evaluation.batches import how_to_resume, in_batches
from dynagrag.evaluation.results.run_folder import KeptRun
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.settings import Settings

T = TypeVar("T")
SaidLine = TypeVar("SaidLine", bound=BaseModel)


def judge_left(
    left: Sequence[T],
    judge: Callable[[T], SaidLine],
    run: KeptRun[SaidLine],
    chat: MeteredChat,
    settings: Settings,
) -> Iterator[int]:
    """How many are judged and written down, each time that some are. What can't be read is a line too, which is counted in the end.

    Raises ModelUnavailableError where the judge can't be reached.
    """

    def asked(item: T) -> SaidLine:
        try:
            return judge(item)
        except ModelUnavailableError as err:
            raise ModelUnavailableError(f"{err}; {how_to_resume(run.path)}") from err

    done = 0
    for lines in in_batches(left, asked, wiring.concurrency_of(chat.model, settings)):
        run.append(lines)
        done += len(lines)
        yield done
