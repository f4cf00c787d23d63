"""Interleaved medians, the peak memory of fresh processes, and bars."""

import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")

ROUNDS = 7
"""Interleaved calls of ours and of a peer."""


def rounded(number: float, digits: int = 2) -> str:
    """Write a number with a few digits, or as a whole number from 100 on."""
    return f"{number:,.0f}" if abs(number) >= 99.5 else f"{number:.{digits}g}"


def seconds(call: Callable[[], object]) -> float:
    """Time one call."""
    start = perf_counter()
    call()
    return perf_counter() - start


def race(
    benchmark: Any,
    ours: Callable[[], object],
    peer: Callable[[], object],
    at_most: float | None = None,
    rounds: int = ROUNDS,
    columns: int = 1,
) -> None:
    """Call ours and the peer in turns, and compare medians, ours divided by so many columns."""
    peers: list[float] = []
    benchmark.pedantic(
        ours,
        setup=lambda: peers.append(seconds(peer)),
        rounds=rounds,
        warmup_rounds=int(rounds > 1),
    )
    mine = benchmark.stats.stats.median
    theirs = median(peers[-rounds:])
    benchmark.extra_info["details"] = f"{rounded(mine)} s, {rounded(theirs)} s"
    reach(benchmark, mine / theirs / columns, "x the time", at_most=at_most)


def take(
    benchmark: Any, call: Callable[[], object], at_most: float, rounds: int = 1, warmup: int = 0
) -> None:
    """Take at most so many seconds."""
    benchmark.pedantic(call, rounds=rounds, warmup_rounds=warmup)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=at_most)


def find(benchmark: Any, call: Callable[[], T], rounds: int = 1) -> list[T]:
    """List what calls return."""
    found: list[T] = []
    benchmark.pedantic(lambda: found.append(call()), rounds=rounds)
    return found


def reach(
    benchmark: Any,
    figure: float,
    unit: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> None:
    """Record a figure with its bar, and fail where it misses it; without a bar just record."""
    met = (at_least is None or figure >= at_least) and (at_most is None or figure <= at_most)
    recorded = {
        "figure": figure,
        "unit": unit,
        "at_least": at_least,
        "at_most": at_most,
        "met": met,
    }
    benchmark.extra_info.setdefault("figures", []).append(recorded)
    told = f"{benchmark.name}: {recorded} {benchmark.extra_info.get('details', '')}"
    print(f"\n{told}")
    assert met, told


def fresh(function: Callable[..., T], *args: object) -> T:
    """Call a function of a module in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def memory(field: str) -> int:
    """Read a field of this process's status, in bytes: VmRSS is now, VmHWM the peak."""
    found = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    assert found
    return int(found[1]) * 1024


def peak_above(call: Callable[[], object]) -> int:
    """Measure the peak of resident memory during a call above that before it, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")  # sets VmHWM back to VmRSS
    before = memory("VmRSS")
    kept = call()
    peak = memory("VmHWM") - before
    del kept
    return peak


def peak_and_seconds(call: Callable[[], object]) -> tuple[int, float]:
    """Measure the peak of a call above what was there before, and its time."""
    times: list[float] = []
    return peak_above(lambda: times.append(seconds(call))), times[0]


def reach_both(
    benchmark: Any, found: tuple[int, float], *, gib: float, most_seconds: float
) -> None:
    """Reach a peak of memory and a time."""
    reach(benchmark, found[0] / 2**30, "GiB", at_most=gib)
    reach(benchmark, found[1], "s", at_most=most_seconds)
