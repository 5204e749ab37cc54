"""How fast passwords can be guessed: one at a time, with a pause after each wrong one, and longer
ones for an address that goes on.
"""

import asyncio
import ipaddress
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dynagrag.config.passwords import is_password

_IPV6_BITS = 64
"""Of an IPv6 address name a network; one machine has all addresses behind them."""


class TooManyGuessesError(Exception):
    """A guess was not looked at. `wait_s`: seconds until one is."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    address: str
    turn: asyncio.Future[None]


class GuessChecker:
    """Checks one guess at a time, and after a wrong one none for `pause_s` seconds: a crowd of
    addresses guesses no faster.

    Next is the address with the fewest wrong guesses. So whoever guesses holds off nobody else:
    each address delays another by one guess. After `num_free` wrong ones an address waits for two
    pauses, then twice as long each time, up to a quarter of an hour.
    """

    pause_s = 1.0
    num_free = 5
    longest_wait_s = 900.0
    max_queue = 50
    max_addresses = 1000

    def __init__(
        self,
        kept: str,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._kept = kept
        self._clock = clock
        self._sleep = sleep
        self._is_busy = False
        self._queue: list[_Waiting] = []
        self._wrong: dict[str, tuple[int, float]] = {}
        """Of an address: wrong guesses since the last right one, and when it may guess again."""

    async def is_right(self, guess: str, address: str) -> bool:
        """Whether a guess is the password. Raises TooManyGuessesError, for a right one too, where
        it comes too soon.
        """
        address = _network(address)
        self._check_wait(address)
        async with self._turn(address):
            self._check_wait(address)
            if await asyncio.to_thread(is_password, guess, self._kept):
                self._wrong.pop(address, None)
                return True
            num_wrong = self._wrong.pop(address, (0, 0.0))[0] + 1
            doublings = min(num_wrong - self.num_free, 30)
            wait_s = (
                min(2 * self.pause_s * 2**doublings, self.longest_wait_s) if doublings >= 0 else 0.0
            )
            self._wrong[address] = (num_wrong, self._clock() + wait_s)
            if len(self._wrong) > self.max_addresses:
                del self._wrong[next(iter(self._wrong))]
            await self._sleep(self.pause_s)
            return False

    @asynccontextmanager
    async def _turn(self, address: str) -> AsyncIterator[None]:
        if self._is_busy:
            await self._wait(_Waiting(address, asyncio.get_running_loop().create_future()))
        self._is_busy = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, waiting: _Waiting) -> None:
        """Until it is its turn. Raises TooManyGuessesError where too many wait that guessed wrong
        less often.
        """
        self._queue.append(waiting)
        if len(self._queue) > self.max_queue:
            last = self._queue.pop(
                max(range(len(self._queue)), key=lambda i: (self._num_before(i), i))
            )
            last.turn.set_exception(TooManyGuessesError(self.pause_s * self.max_queue))
        try:
            await waiting.turn
        except asyncio.CancelledError:
            if waiting in self._queue:
                self._queue.remove(waiting)
            elif not waiting.turn.cancelled():  # its turn had come
                self._pass_on()
            raise

    def _num_before(self, place: int) -> int:
        """Guesses of its address before this one in the queue: wrong ones, and those that wait."""
        address = self._queue[place].address
        return self._num_wrong(address) + sum(
            other.address == address for other in self._queue[:place]
        )

    def _pass_on(self) -> None:
        self._is_busy = bool(self._queue)
        if self._queue:
            place = min(
                range(len(self._queue)), key=lambda i: self._num_wrong(self._queue[i].address)
            )
            self._queue.pop(place).turn.set_result(None)

    def _num_wrong(self, address: str) -> int:
        return self._wrong.get(address, (0, 0.0))[0]

    def _check_wait(self, address: str) -> None:
        wait_s = self._wrong.get(address, (0, 0.0))[1] - self._clock()
        if wait_s > 0:
            raise TooManyGuessesError(wait_s)


def _network(address: str) -> str:
    """The part that a visitor can't change at will: an IPv6 address's network, any other address as
    it is.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found), _IPV6_BITS), strict=False))
