"""The password before the app, without a server: guesses and sessions."""

import asyncio
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from event_loops import run_on_a_thread
from starlette.responses import PlainTextResponse

from dynagrag.config import passwords
from dynagrag.ui.serving import sign_in
from dynagrag.ui.serving.guess_checker import GuessChecker, TooManyGuessesError
from dynagrag.ui.serving.sign_in import SignIn

PASSWORD = "correct horse"
_FORM = ("content-type", "application/x-www-form-urlencoded")


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: str = field(repr=False)


class Door:
    """An app that says yes, behind its password; in-process."""

    def __init__(self, guesses: GuessChecker) -> None:
        self._app = SignIn(PlainTextResponse("yes"), guesses, 8501)

    def ask(
        self,
        path: str = "/",
        method: str = "GET",
        body: bytes = b"",
        *headers: tuple[str, str],
        scheme: str = "http",
    ) -> Reply:
        sent: list[MutableMapping[str, Any]] = []
        parts = [{"type": "http.request", "body": body}, {"type": "http.disconnect"}]

        async def receive() -> dict[str, Any]:
            return parts.pop(0)

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        path, _, query = path.partition("?")
        raw = [
            (name.encode(), value.encode("latin-1"))
            for name, value in (("host", "localhost:8501"), *headers)
        ]
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": raw,
        }
        run_on_a_thread(
            self._app(
                scope | {"scheme": scheme, "client": ("10.0.0.9", 4), "root_path": ""},
                receive,
                send,
            )
        )
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(
            sent[0]["status"], found, b"".join(part.get("body", b"") for part in sent[1:]).decode()
        )

    def sign_in(self, password: str, path: str = "/", **more: Any) -> Reply:
        return self.ask(
            path, "POST", f"password={password.replace(' ', '+')}".encode(), _FORM, **more
        )


class Clock:
    """Time that passes when somebody sleeps: at once, or where it is held when `wake` says so."""

    now = 0.0
    is_held = False

    def __init__(self) -> None:
        self.sleeping: list[tuple[float, asyncio.Event]] = []

    async def sleep(self, seconds: float) -> None:
        if self.is_held:
            self.sleeping.append((seconds, asyncio.Event()))
            await self.sleeping[-1][1].wait()
        self.now += seconds

    def wake(self) -> None:
        self.sleeping.pop(0)[1].set()


async def _settle() -> None:
    """Until nobody can go on without a clock."""
    for _ in range(100):
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guesses(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> GuessChecker:
    monkeypatch.setattr(passwords, "_N", 16)
    return GuessChecker(passwords.hash_password(PASSWORD), lambda: clock.now, clock.sleep)


@pytest.fixture
def door(guesses: GuessChecker) -> Door:
    return Door(guesses)


def test_the_password_opens_the_page_that_was_asked_for(door: Door) -> None:
    page = door.ask("/graph?workspace=talks", "GET", b"", ("accept", "text/html"))
    assert (page.status, "yes" in page.body, 'type="password"' in page.body) == (401, False, True)
    wrong = door.sign_in("wrong horse", "/graph?workspace=talks")
    assert (
        wrong.status,
        "set-cookie" in wrong.headers,
        'role="alert">That is not the password.' in wrong.body,
    ) == (401, False, True)
    right = door.sign_in(PASSWORD, "/graph?workspace=talks")
    assert (right.status, right.headers["location"]) == (303, "./graph?workspace=talks")
    cookie, _, attributes = right.headers["set-cookie"].partition(";")
    assert attributes.lower() == " httponly; path=/; samesite=lax"
    assert door.ask("/", "GET", b"", ("cookie", cookie)).body == "yes"
    assert door.ask("/", "GET", b"", ("cookie", cookie + "x")).status == 401


def test_behind_tls_the_cookie_goes_nowhere_without_it(door: Door) -> None:
    assert door.sign_in(PASSWORD, scheme="https").headers["set-cookie"].lower().endswith("; secure")


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("//evil.example/", "./"),
        ("/\\evil.example", "./%5Cevil.example"),
        ("/a/http:b", "./http%3Ab"),
        ("/%0d%0ax", "./%0d%0ax"),
    ],
)
def test_signing_in_leads_to_no_other_site(door: Door, path: str, location: str) -> None:
    assert door.sign_in(PASSWORD, path).headers["location"] == location


def test_a_session_has_a_cookie_of_its_own_and_none_that_was_brought_along(door: Door) -> None:
    brought = "dynagrag_session_8501=chosen"
    made = door.sign_in(PASSWORD, "/").headers["set-cookie"].partition(";")[0]
    again = door.ask(
        "/", "POST", f"password={PASSWORD.replace(' ', '%20')}".encode(), _FORM, ("cookie", brought)
    ).headers["set-cookie"]
    assert again.partition(";")[0] not in (made, brought)
    for cookie in (
        brought,
        "dynagrag_session_8501=",
        f"other={made.partition('=')[2]}",
        made.replace("8501", "8502"),
        made[:-1],
    ):
        assert door.ask("/", "GET", b"", ("cookie", cookie)).status == 401


def test_a_session_ends(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "SESSION_S", 0.0)
    cookie = door.sign_in(PASSWORD).headers["set-cookie"].partition(";")[0]
    assert door.ask("/", "GET", b"", ("cookie", cookie)).status == 401


def test_a_form_that_is_too_long_for_a_password_is_not_read_on(door: Door) -> None:
    assert door.sign_in("x" * 20_000).status == 413


def test_an_address_that_guesses_wrong_waits_longer_each_time_and_others_do_not(
    guesses: GuessChecker, clock: Clock
) -> None:
    async def guess(address: str, password: str = "wrong") -> bool | float:
        try:
            return await guesses.is_right(password, address)
        except TooManyGuessesError as err:
            return err.wait_s

    async def run() -> None:
        assert [await guess("a") for _ in range(4)] == [False] * 4
        assert await guess("a", PASSWORD) is True  # which forgives the wrong ones
        assert [await guess("a") for _ in range(5)] == [False] * 5
        for wait_s in (2, 4, 8, 16):
            assert (
                await guess("a", PASSWORD) == wait_s - 1
            )  # one second of it went by before the wrong one was answered
            assert await guess("b", PASSWORD) is True
            clock.now += wait_s
            assert await guess("a") is False
        clock.now += 1e6
        for _ in range(40):
            await guess("a")
            clock.now += 900
        assert await guess("a") is False
        assert await guess("a") == 899

    run_on_a_thread(run())


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The guesses that were checked, in their order; each at once, without a thread."""
    seen: list[str] = []

    async def at_once(check: Callable[[str, str], bool], guess: str, kept: str) -> bool:
        seen.append(guess)
        return check(guess, kept)

    monkeypatch.setattr(asyncio, "to_thread", at_once)
    return seen


def test_no_guess_is_looked_at_until_the_pause_after_a_wrong_one_is_over(
    guesses: GuessChecker, clock: Clock, looked_at: list[str]
) -> None:
    clock.is_held = True

    async def run() -> None:
        first, second, right = (
            asyncio.create_task(guesses.is_right(guess, guess))
            for guess in ("wrong 1", "wrong 2", PASSWORD)
        )
        for number in (1, 2):
            await _settle()
            assert looked_at == ["wrong 1", "wrong 2"][:number]
            assert [pause_s for pause_s, _ in clock.sleeping] == [1.0]
            assert not (first, second)[number - 1].done()  # nor is it answered sooner
            clock.wake()
        assert [await first, await second, await right] == [
            False,
            False,
            True,
        ]  # a right one makes no pause

    run_on_a_thread(run())
    assert clock.now == 2.0


def test_guesses_that_an_address_sends_at_once_are_no_more_than_those_one_by_one(
    guesses: GuessChecker, clock: Clock, looked_at: list[str]
) -> None:
    clock.is_held = True  # so that all of them wait for their turn before the first is answered

    async def crowd() -> list[Any]:
        sent = [asyncio.create_task(guesses.is_right(f"wrong {i}", "a")) for i in range(12)]
        await _settle()
        while clock.sleeping:
            clock.wake()
            await _settle()
        return await asyncio.gather(*sent, return_exceptions=True)

    found = run_on_a_thread(crowd())
    assert found[:5] == [False] * 5
    assert all(isinstance(reply, TooManyGuessesError) for reply in found[5:])
    assert looked_at == [f"wrong {i}" for i in range(5)]


def test_a_crowd_of_addresses_guesses_one_at_a_time_and_is_not_queued_without_end(
    guesses: GuessChecker, clock: Clock
) -> None:
    async def crowd() -> list[Any]:
        return await asyncio.gather(
            *(guesses.is_right("wrong", f"address {i}") for i in range(80)), return_exceptions=True
        )

    found = run_on_a_thread(crowd())
    num_looked_at = 1 + guesses.max_queue
    assert clock.now == num_looked_at * guesses.pause_s
    assert found.count(False) == num_looked_at
    assert all(isinstance(one, TooManyGuessesError) for one in found if one is not False)


def test_a_guessing_crowd_delays_the_password_by_one_guess_an_address_and_never_refuses_it(
    guesses: GuessChecker, clock: Clock, looked_at: list[str]
) -> None:
    clock.is_held = True
    crowd = [f"address {i}" for i in range(40)]

    async def run() -> None:
        tasks = [asyncio.create_task(guesses.is_right("wrong", address)) for address in crowd * 3]
        await _settle()
        owner = asyncio.create_task(guesses.is_right(PASSWORD, "owner"))
        while not owner.done():
            await _settle()
            if clock.sleeping:
                clock.wake()
                tasks += [
                    asyncio.create_task(guesses.is_right("wrong", address)) for address in crowd
                ]
        assert await owner is True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_on_a_thread(run())
    assert looked_at.index(PASSWORD) <= len(crowd)


def test_who_stops_waiting_leaves_the_turn_to_the_next(
    guesses: GuessChecker, clock: Clock, looked_at: list[str]
) -> None:
    clock.is_held = True

    async def run() -> None:
        tasks = [
            asyncio.create_task(guesses.is_right(guess, guess))
            for guess in ("wrong 1", "wrong 2", "wrong 3", PASSWORD)
        ]
        await _settle()
        tasks[2].cancel()  # waits
        clock.wake()
        await asyncio.sleep(0)  # now it is the second's turn, which it has not taken
        tasks[1].cancel()
        await _settle()
        while clock.sleeping:
            clock.wake()
            await _settle()
        assert await asyncio.wait_for(tasks[3], 5) is True
        assert await guesses.is_right(PASSWORD, "another") is True

    run_on_a_thread(run())
    assert looked_at == ["wrong 1", PASSWORD, PASSWORD]


def test_all_addresses_of_an_ipv6_network_are_one(guesses: GuessChecker) -> None:
    async def run() -> None:
        for i in range(5):
            assert not await guesses.is_right("wrong", f"2001:db8::{i:x}")
        with pytest.raises(TooManyGuessesError):
            await guesses.is_right(PASSWORD, "2001:db8::ffff")
        for other in (
            "2001:db8:0:1::1",
            "::ffff:10.0.0.1",
            "10.0.0.1",
            "fe80::1%eth0",
            "",
            "a proxy's word",
        ):
            assert await guesses.is_right(PASSWORD, other)

    run_on_a_thread(run())


def test_addresses_are_not_remembered_without_end(
    guesses: GuessChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GuessChecker, "max_addresses", 3)

    async def run() -> None:
        for i in range(8):
            assert not await guesses.is_right("wrong", f"address {i}")

    run_on_a_thread(run())
    assert len(guesses._wrong) == 3
