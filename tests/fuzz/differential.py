"""Random frames and arguments: the same answer on every kind of frame, with its promises kept.

The peers of whole groups and of classes are scikit-learn's `StratifiedGroupKFold` and
`StratifiedKFold`, whose losses no fold column may exceed.
"""

from running import Case, run

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from math import ceil, floor, isclose
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from pandas.testing import assert_frame_equal
from polars.testing import assert_frame_equal as assert_polars_equal
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

import stratframe as sf
from tests.helpers import KINDS, eager, loss_of, make, peer_folds, split_groups, values

Data = dict[str, list[Any]]
Forms = dict[str, Any]
Make = Callable[[str], Any]
"""Makes an argument for a kind of frame: an expression is a callable on pandas."""

CLASSES: list[list[Any]] = [
    [0, 1, 2, 3, 4, 5],
    [-3, 0, 7, 2**40, -(2**62), 2**53 + 1],
    ["a", "b", "c", "d", "e", "f"],
    ["", " ", "é", "e\u0301", "a" * 40, "0"],
    [True, False],
    [dt.date(2020, 1, day) for day in (5, 1, 3)],
    [dt.datetime(2020, 1, 1, hour) for hour in (0, 23, 7, 9)],
    [0.0, -1.0, 4.0, 1e15],
]
"""Values of a column of classes."""


# Data -----------------------------------------------------------------------------------


def draw_classes(rng: Random, n: int) -> list[Any]:
    """Draw a column of classes, some of them rare."""
    found = rng.choice(CLASSES)
    chosen = rng.sample(found, rng.randint(1, len(found)))
    weights = [rng.random() ** rng.choice([0, 1, 4]) for _ in chosen]
    return rng.choices(chosen, weights, k=n)


def draw_numbers(rng: Random, n: int) -> list[float]:
    """Draw numbers with fractions, and with ties."""
    step = rng.choice([0.5, 0.1, 1e-6])
    return [rng.choice([-1, 1]) * round(rng.expovariate(1) / step) * step + 0.25 for _ in range(n)]


def with_gaps(rng: Random, column: list[Any]) -> list[Any]:
    """Leave some of the values out."""
    share = rng.choice([0.05, 0.5])
    return [None if rng.random() < share else value for value in column]


def draw_data(rng: Random) -> Data:
    """Draw a small frame: classes, numbers, groups, and keys, some with gaps."""
    n = rng.choice([0, 1, 2, rng.randint(3, 20), rng.randint(10, 120), rng.randint(10, 120)])
    n_groups = rng.randint(1, max(n, 1))
    data: Data = {
        "label": draw_classes(rng, n),
        "a": [rng.randint(0, 2) for _ in range(n)],
        "v": draw_numbers(rng, n),
        "w": draw_numbers(rng, n),
        "g": [rng.randrange(n_groups) for _ in range(n)],
        "id": rng.sample(range(10 * n + 1), n),
        "keep": [rng.random() < 0.8 for _ in range(n)],
    }
    if rng.random() < 0.3:
        data["g"] = [f"group {number}" for number in data["g"]]
    if rng.random() < 0.3:
        data["id"] = [f"{number:x}" for number in data["id"]]
    for name in ("label", "a", "g", "v"):
        if n > 2 and rng.random() < 0.1 and 2**53 + 1 not in data[name]:  # which no float is
            data[name] = with_gaps(rng, data[name])
    return data


def odd_index(rng: Random, frame: pd.DataFrame) -> pd.DataFrame:
    """Give a pandas frame an index with repeated labels."""
    return frame.set_axis(pd.Index([rng.randint(0, 3) for _ in range(len(frame))], name="row"))


def forms_of(rng: Random, data: Data) -> Forms:
    """Make the same data on each kind of frame, and with other types and indexes."""
    forms = {kind: make(kind, data) for kind in KINDS}
    plain, polars = forms["pandas"], forms["polars"]
    forms["pandas, odd index"] = odd_index(rng, plain)
    if all(isinstance(value, str) for value in data["label"]):
        forms["pandas, categories"] = plain.astype({"label": "category"})
        forms["polars, categories"] = polars.cast({"label": pl.Categorical})
        forms["pandas, objects"] = plain.astype({"label": object})
    if all(type(value) is int for value in data["a"]):
        forms["pandas, short"] = plain.astype({"a": "int8"})
        forms["polars, short"] = polars.cast({"a": pl.UInt8})
    if polars.schema["label"] == pl.Datetime:
        forms["polars, ns"] = polars.cast({"label": pl.Datetime("ns")})
        forms["polars, ms"] = polars.cast({"label": pl.Datetime("ms")})
    return forms


# Arguments ------------------------------------------------------------------------------


class Call(NamedTuple):
    """A verb and its arguments, of which `by` and `where` may depend on the kind of frame."""

    verb: Callable[..., Any]
    by: Make
    levels: tuple[str, ...]
    """The columns of classes that `by` nests, from its first entry on."""
    joint: bool
    """Whether there is nothing else in `by` that makes strata."""
    uses_row_order: bool
    given: dict[str, Any]

    def answer(self, case: Case, frame: Any, **other: Any) -> Any:
        """Make the call on a frame."""
        return case.answer(self.verb, frame, self.by(library_of(frame)), **(self.given | other))


def library_of(frame: Any) -> str:
    """Return the library of a frame."""
    return "pandas" if isinstance(frame, pd.DataFrame) else "polars"


def is_positive(name: str, library: str) -> Any:
    """Compute whether a number is above 0."""
    return (lambda df: df[name] > 0) if library == "pandas" else pl.col(name) > 0


def draw_last(rng: Random) -> tuple[Any, bool]:
    """Draw a term for the end of `by`, and whether it depends on the order of the rows."""
    edges = sorted(rng.sample(range(-8, 9), rng.randint(1, 3)))
    features = rng.choice([["v"], ["v", "w"], ["w", "v", "a"]])
    return rng.choice(
        [
            (sf.continuous("v"), False),
            (sf.quantiles("v", rng.randint(2, 9)), False),
            (sf.bins("w", [-np.inf, *edges, np.inf], closed=rng.choice(["left", "right"])), False),
            (sf.bins("w", [-50, *edges, 50]), False),
            (sf.chain(features), True),
            (sf.nearest(features, block=rng.choice([None, None, 3])), True),
            (sf.clusters(features, rng.randint(1, 3)), True),
        ]
    )


def draw_by(rng: Random) -> tuple[Make, tuple[str, ...], bool, bool]:
    """Draw `by`: how it is made, its levels, whether these are all, and if rows order it."""
    shape = rng.random()
    if shape < 0.08:
        return lambda _: None, (), True, False
    if shape < 0.16:
        margins = sf.margins(rng.sample(["label", "a", "keep"], rng.randint(1, 3)))
        return lambda _: margins, (), False, True
    if shape < 0.22:
        return lambda library: ["label", is_positive("w", library)], ("label",), False, False
    levels = tuple(rng.sample(["label", "a", "keep"], rng.choice([1, 1, 2, 2, 3])))
    if shape < 0.6:
        by = levels[0] if len(levels) == 1 else list(levels)
        return lambda _: by, levels, True, False
    last, uses_row_order = draw_last(rng)
    levels = levels[: rng.randint(0, len(levels))]
    return lambda _: [*levels, last], levels, False, uses_row_order


def draw_parts(rng: Random, n: int) -> Any:
    """Draw parts: a share of test, shares, or counts."""
    kind = rng.random()
    if kind < 0.2:
        return rng.randint(1, 99) / 100
    names = rng.sample(["train", "valid", "test", "rest", "x"], rng.randint(2, 5))
    if kind < 0.8:
        cuts = sorted(rng.sample(range(1, 100), len(names) - 1))
        shares = [(high - low) / 100 for low, high in pairwise([0, *cuts, 100])]
        return dict(zip(names, shares, strict=True))
    counts: list[int | None] = [rng.randint(1, max(n // len(names), 1)) for _ in names]
    counts[rng.randrange(len(counts))] = None
    return dict(zip(names, counts, strict=True))


def draw_options(rng: Random) -> dict[str, Any]:
    """Draw what `kfold` and `split` take beside the strata and the parts."""
    given: dict[str, Any] = {"seed": rng.choice([0, 1, rng.getrandbits(60)])}
    likely = {
        "missing": (0.3, ["stratum", "stratum", "null", "error"]),
        "rare": (0.5, ["ignore", "null", "pool", "warn"]),
        "groups": (0.25, ["g", "g", ["g", "a"]]),
        "key": (0.25, ["id", ["id"], ["a", "id"]]),
        "where": (0.1, ["keep"]),
        "deal": (0.1, ["circular"]),
        "repeats": (0.1, [2, 3]),
        "name": (0.1, ["other", "fold 2"]),
    }
    return given | {
        name: rng.choice(choices)
        for name, (share, choices) in likely.items()
        if rng.random() < share
    }


def draw_call(rng: Random, n: int) -> Call:
    """Draw a call of `kfold` or `split`."""
    given, by = draw_options(rng), draw_by(rng)
    if rng.random() < 0.5:
        return Call(sf.kfold, *by, given | {"k": rng.choice([2, 3, 5, rng.randint(2, 30)])})
    given.pop("repeats", None)
    if given.get("missing") == "null":
        del given["missing"]
    return Call(sf.split, *by, given | {"parts": draw_parts(rng, n)})


# Promises -------------------------------------------------------------------------------


def is_refusal(answer: Any) -> bool:
    """Return whether an answer is an error."""
    return isinstance(answer, Exception)


def all_the_same(answers: dict[str, Any], what: str) -> Any:
    """Fail unless all kinds of frame gave the same; return it."""
    (first, expected), *others = answers.items()
    for kind, found in others:
        assert same(found, expected), f"{what}: {kind} gave {found}, and {first} gave {expected}"
    return expected


def same(one: Any, other: Any) -> bool:
    """Return whether two answers are the same; two refusals are, and close floats."""
    if is_refusal(one) or is_refusal(other):
        return is_refusal(one) and is_refusal(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


def check_untouched(frame: Any, dealt: Any, new: Sequence[str]) -> None:
    """Fail unless a frame has new columns and is else as before."""
    names = [str(name) for name in eager(frame).columns]
    assert list(dealt.columns) == [*names, *new]
    if isinstance(dealt, pd.DataFrame):
        assert_frame_equal(dealt[names], frame)
    else:
        assert_polars_equal(dealt.select(names), eager(frame))


def rows_by(columns: Sequence[list[Any]], rows: Sequence[int]) -> list[list[int]]:
    """Group rows by their values in columns."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        found.setdefault(tuple(column[row] for column in columns), []).append(row)
    return list(found.values())


def nested_rows(data: Data, call: Call, rows: Sequence[int]) -> list[list[int]]:
    """List the rows of every stratum of every level, and all rows."""
    levels = list(accumulate(([name] for name in call.levels), lambda one, more: one + more))
    return [
        list(rows),
        *(each for level in levels for each in rows_by([data[name] for name in level], rows)),
    ]


def check_assigned(data: Data, call: Call, parts: list[Any], known: Sequence[Any]) -> list[int]:
    """Fail unless each row has a known part, or may lack one; list the rows that have one."""
    given = call.given
    dealt = [row for row, part in enumerate(parts) if part is not None]
    assert {parts[row] for row in dealt} <= {*known}
    if "where" in given:
        assert all(data["keep"][row] for row in dealt)
    if "where" not in given and given.get("missing") != "null" and given.get("rare") != "null":
        assert len(dealt) == len(parts)
    return dealt


def check_folds(data: Data, call: Call, folds: list[Any]) -> None:
    """Fail unless folds are a partition that is even at every level."""
    k = call.given["k"]
    dealt = check_assigned(data, call, folds, range(k))
    if "groups" in call.given:
        return
    pooled = call.given.get("rare") == "pool"
    for rows in nested_rows(data, call, dealt)[: 1 if pooled else None]:
        counts = Counter(folds[row] for row in rows)
        found = [counts[fold] for fold in range(k)]
        assert max(found) - min(found) <= 1, f"folds of a stratum: {found}"


def check_parts(data: Data, call: Call, parts: list[Any]) -> None:
    """Fail unless the counts of parts are exact shares, rounded, at every level."""
    given = call.given["parts"]
    shares = {"train": 1 - given, "test": given} if isinstance(given, float) else given
    dealt = check_assigned(data, call, parts, [*shares])
    if "groups" in call.given or not dealt:
        return
    if None in shares.values():
        taken = {name: count for name, count in shares.items() if count is not None}
        rest = len(dealt) - sum(taken.values())
        shares = {name: Fraction(taken.get(name, rest), len(dealt)) for name in shares}
    exact = {name: Fraction(share).limit_denominator(10**6) for name, share in shares.items()}
    pooled = call.given.get("rare") == "pool"
    for rows in nested_rows(data, call, dealt)[: 1 if pooled else None]:
        counts = Counter(parts[row] for row in rows)
        for name, share in exact.items():
            least, most = floor(share * len(rows)), ceil(share * len(rows))
            assert least <= counts[name] <= most, f"{counts[name]} of {share} x {len(rows)} rows"


def check_groups(data: Data, call: Call, parts: list[Any]) -> None:
    """Fail if a group is in two parts."""
    names = call.given["groups"]
    columns = [data[name] for name in (names if isinstance(names, list) else [names])]
    split = split_groups(list(zip(*columns, strict=True)), parts)
    assert all(None in group for group in split), "a group in two parts"


# Comparisons ----------------------------------------------------------------------------


def permuted(rng: Random, data: Data) -> tuple[list[int], Data]:
    """Put the rows in another order."""
    n = len(data["id"])
    order = rng.sample(range(n), n)
    return order, {name: [column[row] for row in order] for name, column in data.items()}


def is_free_of_order(call: Call) -> bool:
    """Return whether the folds of a call must not depend on the order of the rows."""
    return "key" in call.given and call.given.get("deal") != "circular" and not call.uses_row_order


def check_permuted(case: Case, data: Data, call: Call, name: str, parts: list[Any]) -> None:
    """Fail unless rows in another order have the same folds."""
    order, moved = permuted(case.rng, data)
    kind = case.rng.choice(KINDS)
    found = call.answer(case, make(kind, moved))
    assert not is_refusal(found), found
    assert values(found, name) == [parts[row] for row in order], f"folds in another order: {kind}"


def check_renamed(case: Case, data: Data, call: Call, name: str, parts: list[Any]) -> None:
    """Fail unless the same classes by other names have the same folds."""
    names = list(dict.fromkeys(value for value in data["label"] if value is not None))
    new = case.rng.sample([f"class {number}" for number in range(len(names))], len(names))
    renamed = dict(zip(names, new, strict=True)) | {None: None}
    kind = case.rng.choice(KINDS)
    other = data | {"label": [renamed[value] for value in data["label"]]}
    found = call.answer(case, make(kind, other))
    assert not is_refusal(found), found
    assert values(found, name) == parts, f"folds by other names: {kind}"


def check_against_peers(data: Data, call: Call, folds: list[Any]) -> None:
    """Fail if scikit-learn has a smaller loss."""
    given, k = call.given, call.given["k"]
    if None in folds or call.levels != ("label",) or not call.joint or given.get("rare") == "pool":
        return
    if given.get("groups", "g") != "g" or None in data["g"] or None in data["label"]:
        return
    classes, groups = (
        np.unique([str(x) for x in data[name]], return_inverse=True)[1] for name in ("label", "g")
    )
    if "groups" in given:
        peers = [StratifiedGroupKFold(k), StratifiedGroupKFold(k, shuffle=True, random_state=0)]
    elif np.bincount(classes).max() < k:
        return
    else:
        peers = [StratifiedKFold(k)]
    ours = loss_of(classes, folds, k)
    for peer in peers:
        theirs = loss_of(classes, peer_folds(peer, classes, groups), k)
        assert ours <= theirs + 1e-9, f"a loss of {ours}, where {peer} has {theirs}"


# Verbs ----------------------------------------------------------------------------------


def names_of(call: Call) -> list[str]:
    """Name the columns that a call adds."""
    given = call.given
    name = given.get("name", "fold" if call.verb is sf.kfold else "split")
    repeats = given.get("repeats", 1)
    return [name] if repeats == 1 else [f"{name}_{number + 1}" for number in range(repeats)]


def check_deal(case: Case) -> None:
    """Check `kfold` or `split`, and what reads its column."""
    data = draw_data(case.rng)
    call, forms = draw_call(case.rng, len(data["id"])), forms_of(case.rng, data)
    names = names_of(call)
    answers = {kind: call.answer(case, frame) for kind, frame in forms.items()}
    columns = {
        kind: found if is_refusal(found) else {name: values(found, name) for name in names}
        for kind, found in answers.items()
    }
    dealt = all_the_same(columns, "a fold column")
    if is_refusal(dealt):
        return
    for kind, frame in forms.items():
        check_untouched(frame, answers[kind], names)
    for parts in dealt.values():
        check = check_folds if call.verb is sf.kfold else check_parts
        check(data, call, parts)
        if "groups" in call.given:
            check_groups(data, call, parts)
    name, parts = names[0], dealt[names[0]]
    if is_free_of_order(call):
        check_permuted(case, data, call, name, parts)
    if "groups" not in call.given:
        check_renamed(case, data, call, name, parts)
    if call.verb is sf.kfold:
        check_against_peers(data, call, parts)
    check_readers(case, answers, call, names)


def check_readers(case: Case, answers: Forms, call: Call, names: list[str]) -> None:
    """Check the pairs, frames and tables that are made of a fold column."""
    name, nulls = names[-1], case.rng.choice(["train", "drop", "error"])
    kinds = case.rng.sample(sorted(answers), 3)
    frames = {kind: answers[kind] for kind in kinds}
    all_the_same(
        {kind: pairs_of(case, frame, name, nulls) for kind, frame in frames.items()}, "pairs"
    )
    entries = case.rng.choice(
        [["label"], ["label", "a"], [sf.quantiles("w", 3)], [sf.margins(["label", "a"])]]
    )
    verbs: list[Callable[..., Any]] = [
        partial(sf.balance, by=entries, name=name),
        partial(sf.report, by=entries, name=names, full=True),
        partial(sf.report, by=entries, name=name, groups="g"),
        partial(sf.compare, by=entries, names=names, full=True),
        partial(
            sf.advise, by=entries, ks=range(2, 5), groups=case.rng.choice([None, "g"]), full=True
        ),
        partial(findings_of, name=name, groups="g", key="id"),
        partial(findings_of, name=name, duplicates=["label", "a"], by=entries),
        partial(sf.leaks, name=name, groups="g", duplicates=["label", "v"]),
        partial(sf.drift, features=["v", "a", "label"], name=name, full=True),
        partial(sf.sample, by="label", frac=case.rng.random(), seed=case.rng.randint(0, 9)),
        partial(sf.sample, by=["a", sf.continuous("w")], n=case.rng.randint(0, 20)),
        partial(sf.plan, by=entries, k=case.rng.randint(2, 9)),
    ]
    verb = case.rng.choice(verbs)
    tables = {kind: table_of(case.answer(verb, frame)) for kind, frame in frames.items()}
    all_the_same(tables, f"a table of {verb}")


def findings_of(frame: Any, **given: Any) -> Any:
    """List what `check` finds."""
    return sf.check(frame, **given).findings


def table_of(answer: Any) -> Any:
    """List the columns of a table, but for the text that says which values it is about."""
    if is_refusal(answer):
        return answer
    names = [name for name in eager(answer).columns if name != "detail"]
    return {str(name): [plain(value) for value in values(answer, name)] for name in names}


def plain(value: Any) -> Any:
    """Write a cell without its library's type: floats without fractions are whole numbers."""
    if isinstance(value, dt.date):
        return str(pd.Timestamp(value))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return re.sub(r"\.0\b", "", value) if isinstance(value, str) else value


def pairs_of(case: Case, frame: Any, name: str, nulls: Any) -> Any:
    """List the pairs of `cv`, which are those of `FoldSplit` and the sizes of `folds`."""
    found = case.answer(sf.cv, frame, name, nulls=nulls)
    other = case.answer(lambda df: list(sf.FoldSplit(name, nulls=nulls).split(df)), frame)
    each = case.answer(lambda df: list(sf.folds(df, name, nulls=nulls)), frame)
    assert is_refusal(found) == is_refusal(other) == is_refusal(each)
    if is_refusal(found):
        return found
    listed = [[side.tolist() for side in pair] for pair in found]
    assert listed == [[side.tolist() for side in pair] for pair in other]
    assert [[len(side) for side in pair] for pair in listed] == [
        [len(eager(fold.train)), len(eager(fold.valid))] for fold in each
    ]
    return listed


def check_extended(case: Case) -> None:
    """Check that `extend` keeps the folds given, fills the others, and evens them out."""
    data, rng = draw_data(case.rng), case.rng
    n, k = len(data["id"]), rng.randint(2, 6)
    share = rng.random()
    given = [rng.randrange(k) if rng.random() < share else None for _ in range(n)]
    data["fold"] = given
    by: Any = rng.choice([None, "label", ["label", "a"], ["a", sf.quantiles("v", 3)]])
    options = {"k": rng.choice([k, k, None]), "seed": rng.randint(0, 9)}
    options |= {"missing": "stratum"} if rng.random() < 0.7 else {}
    options |= {"groups": "g"} if rng.random() < 0.3 else {}
    options |= {"rare": "ignore"} if rng.random() < 0.5 else {}
    answers = {
        kind: case.answer(sf.extend, frame, by, **options)
        for kind, frame in forms_of(rng, data).items()
    }
    columns = {
        kind: found if is_refusal(found) else values(found, "fold")
        for kind, found in answers.items()
    }
    folds = all_the_same(columns, "an extended column")
    if is_refusal(folds):
        return
    assert None not in folds
    assert all(old is None or old == new for old, new in zip(given, folds, strict=True))
    if "groups" not in options and options["k"]:
        check_fill(given, folds, list(range(n)) if by is None else [], k)
        if by in ("label",):
            for rows in rows_by([data["label"]], range(n)):
                check_fill(given, folds, rows, k)


def check_fill(given: list[Any], folds: list[Any], rows: list[int], k: int) -> None:
    """Fail unless the new rows of a stratum went where there were fewest."""
    old, new = Counter(given[row] for row in rows), Counter(folds[row] for row in rows)
    filled = [new[fold] for fold in range(k) if new[fold] > old[fold]]
    if filled:
        assert max(filled) - min(new[fold] for fold in range(k)) <= 1, (old, new)


def check(case: Case) -> None:
    """Check one call of `kfold`, `split` or `extend`."""
    if case.rng.random() < 0.8:
        check_deal(case)
    else:
        check_extended(case)


if __name__ == "__main__":
    run(check)
