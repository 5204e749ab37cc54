"""Libraries that another one would import for what nobody here asks of it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import get_ident


@contextmanager
def without_module(name: str) -> Iterator[None]:
    """Inside, a module can't be imported by this thread, unless it is imported already."""
    finder = _Refusal(name, get_ident())
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Refusal(MetaPathFinder):
    def __init__(self, name: str, thread: int) -> None:
        self._name, self._thread = name, thread

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname == self._name and get_ident() == self._thread:
            raise ModuleNotFoundError(f"{fullname} is not wanted here", name=fullname)
        return None
