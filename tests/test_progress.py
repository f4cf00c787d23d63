"""Bars appear where work takes long, on terminals and in notebooks, and nothing else is printed."""

import io
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pandas as pd
import polars as pl
import pytest
from tqdm.std import tqdm

import stratframe as sf
from stratframe import progress
from stratframe.progress import progress_bar, track
from tests.terms.clouds import FEATURES, cloud

DATA: dict[str, Any] = cloud(50)
FOLDED = sf.kfold(pl.DataFrame(DATA), "label", 5, repeats=3)
CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "chain": ("50/50", lambda: sf.kfold(pl.DataFrame(DATA), sf.chain(FEATURES))),
    "nearest": ("50/50", lambda: sf.kfold(pd.DataFrame(DATA), sf.nearest(FEATURES))),
    "clusters": ("50/50", lambda: sf.kfold(FOLDED, ["label", sf.clusters(FEATURES, 2)], 2)),
    "repeats": ("3/3", lambda: sf.kfold(pd.DataFrame(DATA), "label", repeats=3)),
    "check": ("3/3", lambda: sf.check(FOLDED, "label")),
    "check one": ("2/2", lambda: sf.check(FOLDED, "label", "fold_1", groups="label")),
    "drift": ("3/3", lambda: sf.drift(FOLDED, FEATURES, "fold_1")),
    "compare": ("3/3", lambda: sf.compare(FOLDED, "label", ["fold_1", "fold_2", "fold_3"])),
    "plot": ("3/3", lambda: sf.plot(FOLDED, "label")),
}


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def no_open_bars() -> Iterator[None]:
    """Each bar is closed after its call."""
    yield
    assert not tqdm._instances


@pytest.mark.parametrize("call", CALLS)
def test_long_calls_have_bars(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """A call that takes longer than the patience shows a bar on a terminal."""
    end, function = CALLS[call]
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "PATIENCE", 0)
    function()
    assert end in sys.stderr.getvalue()


def test_short_calls_have_no_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that takes less than a second shows nothing."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    for _, function in CALLS.values():
        function()
    assert sys.stderr.getvalue() == ""


def test_a_bar_appears_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar starts with what is done when a second has passed, and is closed after an error."""
    seen: list[Any] = []
    bar = SimpleNamespace(update=seen.append, close=lambda: seen.append("closed"))
    made = SimpleNamespace(tqdm=lambda **look: seen.append(look["initial"]) or bar)
    now = iter([10, 10.5, 11.5, 20, 30])
    monkeypatch.setattr(progress, "monotonic", lambda: next(now))
    monkeypatch.setitem(sys.modules, "tqdm.auto", made)

    def work() -> None:
        with progress_bar(100, "rows") as update:
            for n in (30, 20, 5):
                update(n)
            raise KeyError

    with pytest.raises(KeyError):
        work()
    # Of a single item nothing is left when it is done.
    assert list(track(["only"], "items")) == ["only"]
    assert seen == [50, 5, "closed"]


@pytest.mark.parametrize(("stream", "module"), [(io.StringIO, "any"), (Terminal, "tqdm.auto")])
def test_no_bar(monkeypatch: pytest.MonkeyPatch, stream: Any, module: str) -> None:
    """There is no bar in a file, and none without tqdm."""
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setitem(sys.modules, module, None)
    assert list(track(range(9), "items")) == [*range(9)]
    assert sys.stderr.getvalue() == ""
