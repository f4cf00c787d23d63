"""How often `check` is wrong: good columns that it refuses, and bad ones that it lets pass."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

import stratframe as sf

LABELS = ["label", "sex", "site"]
AGES = (["age", "sex"], ["sex", "age"], "age")
X = sf.continuous("x")
SPLIT = {"name": "split"}


class Case(NamedTuple):
    """A frame with a column of folds, and how it is checked."""

    frame: Any
    by: Any = None
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed


class Draw:
    """What a case is drawn from: random numbers, rows, folds, and the library of the frame."""

    def __init__(self, library: str, seed: tuple[int, ...], least: int, most: int) -> None:
        self.library, self.rng = library, np.random.default_rng(seed)
        # Small numbers as often as large ones.
        self.n = int(np.exp(self.rng.uniform(np.log(least), np.log(most + 1))))
        self.k = self.number(2, min(10, self.n // 2))

    def number(self, least: int, most: int) -> int:
        """Choose a whole number."""
        return int(self.rng.integers(least, max(least, most) + 1))

    def one_of(self, *choices: Any) -> Any:
        """Choose one."""
        return choices[self.rng.integers(len(choices))]

    def chance(self, share: float) -> bool:
        """Choose yes as often as said."""
        return bool(self.rng.random() < share)

    def classes(self, most: int = 8, even: float = 1.0) -> Any:
        """Draw classes of random shares: text or whole numbers."""
        count = self.number(2, most)
        codes = self.rng.choice(count, self.n, p=self.rng.dirichlet([even] * count))
        return codes if self.chance(0.5) else np.array([*"abcdefghijklmnop"])[codes]

    def ids(self, count: int) -> Any:
        """Draw whole numbers, each as often."""
        return self.rng.integers(18, 18 + count, self.n)

    def whole(self) -> Any:
        """Draw whole numbers of many values: ages, prices, counts."""
        rng = self.rng
        n = self.n
        return self.one_of(
            self.ids(self.one_of(73, 10**6)),
            rng.lognormal(8, 1, n).astype(int),
            rng.negative_binomial(1, 0.02, n),
            rng.poisson(rng.uniform(20, 400), n),
        )

    def fractions(self) -> Any:
        """Draw floats: normal, skewed, of one decimal, or a third of them at a limit."""
        x = self.rng.normal(50, 12, self.n)
        return self.one_of(x, np.exp(x / 12), np.round(x, 1), np.maximum(x, 45.5))

    def others(self, measured: float = 0.6) -> dict[str, Any]:
        """Draw more columns, maybe; rows of these are equal by chance alone, if ever."""
        count = self.number(1, 3) if self.chance(measured) else 0
        columns: dict[str, Any] = {f"m{i}": self.rng.normal(size=self.n) for i in range(count)}
        if self.chance(0.4):
            columns["city"] = self.rng.choice(["Rome", "Oslo", "Bonn", "Kyiv"], self.n)
        if self.chance(0.4):
            columns["number"] = self.rng.poisson(self.rng.uniform(0.5, 30), self.n)
        if self.chance(0.3):
            columns["id"] = self.one_of(self.rng.permutation(self.n), self.names())
        return columns

    def names(self) -> list[str]:
        """Name every row."""
        return [f"u{row:05}" for row in self.rng.permutation(self.n)]

    def groups(self, least: int, most: int) -> Any:
        """Draw groups of random sizes, each of a row or more."""
        count = min(self.number(least, most), self.n)
        weights = self.rng.gamma(self.one_of(1.0, 3.0, 20.0), size=count)
        codes = self.rng.choice(count, self.n, p=weights / weights.sum())
        codes[self.rng.permutation(self.n)[:count]] = np.arange(count)
        return np.array([f"p{code}" for code in codes])

    def unequal(self, count: int) -> Any:
        """Draw shares, of which the largest is at least twice the smallest."""
        shares = self.rng.dirichlet([2.0] * count)
        shares[np.argmax(shares)] += 2 * shares.min()
        return shares / shares.sum()

    def frame(self, columns: dict[str, Any]) -> Any:
        """Make a frame."""
        lists = {name: np.asarray(values).tolist() for name, values in columns.items()}
        return pd.DataFrame(lists) if self.library == "pandas" else pl.DataFrame(lists)

    def deal(self, columns: dict[str, Any], by: Any = "label", **options: Any) -> Case:
        """Make folds, and check them as they were made."""
        options = {"rare": "ignore", "seed": self.number(0, 10**6), **options}
        made = sf.kfold(self.frame(columns | self.others()), by, self.k, **options)
        how = {name: options[name] for name in ("groups", "key") if name in options}
        return Case(made, by, how)


def grouped(d: Draw, least: int, most: int, by: Any = None, **options: Any) -> Case:
    """Deal whole groups of rows."""
    columns = {"patient": d.groups(least, most), "label": d.classes(5), "x": d.fractions()}
    columns["use"] = d.rng.random(d.n) < 0.8
    return d.deal(columns, by, groups="patient", **options)


def one_class_groups(d: Draw) -> Case:
    """Deal groups of one class each, beside a giant."""
    patients = d.groups(2 * d.k, d.n // 2)
    patients[: int(d.n * d.rng.uniform(0.2, 0.5))] = "p0"
    names, places = np.unique(patients, return_inverse=True)
    d.k = min(d.k, len(names))
    columns = {"patient": patients, "label": d.classes(4)[: len(names)][places]}
    return d.deal(columns, groups="patient")


def hashed(d: Draw) -> Case:
    """Deal by the hash of a key, and check that its values stay whole."""
    d.k = min(d.k, 6)
    by = d.one_of(None, "label")
    frame = d.frame({"user": d.groups(60, d.n), "label": d.classes(5), **d.others()})
    return Case(sf.kfold(frame, k=d.k, deal="hash", key="user"), by, {"groups": "user"})


def extended(d: Draw) -> Case:
    """Deal old rows, then new ones."""
    by = d.one_of("label", ["label", "sex"])
    old = d.rng.random(d.n) < d.rng.uniform(0.5, 0.95)
    columns = {"label": d.classes(), "sex": d.classes(2), "old": old | (np.arange(d.n) < 10)}
    made = d.deal(columns, by, where="old").frame
    return Case(sf.extend(made, by, seed=d.number(0, 10**6), rare="ignore"), by)


def parts(d: Draw) -> Case:
    """Make named parts, some of 5 % of the rows."""
    shares = d.one_of({"train": 0.95, "test": 0.05}, {"train": 0.9, "valid": 0.05, "test": 0.05})
    by = d.one_of("label", X, ["label", X])
    frame = d.frame({"label": d.classes(), "x": d.fractions()})
    made = sf.split(frame, by, shares, seed=d.number(0, 10**6), rare="ignore")
    return Case(made, by, {"name": "split"})


def features(d: Draw) -> Case:
    """Deal rows of many features, which may depend on each other."""
    shared = d.rng.normal(size=d.n)
    count = d.number(2, 40)
    columns = {f"m{i}": shared * d.rng.random() + d.rng.normal(size=d.n) for i in range(count)}
    columns |= {"town": d.classes(), "day": d.rng.integers(31, size=d.n)}
    case = d.deal(columns | {"label": d.classes()})
    return case._replace(options={"features": [*columns]})


def city_and_zip(d: Draw) -> Case:
    """Deal rows of columns that repeat each other."""
    city = d.ids(d.number(5, min(60, d.n // 5)))
    columns = {"town": [f"town {code}" for code in city], "zip": 37 * city, "state": city % 5}
    frame = d.frame(columns | {"label": d.classes(3)})
    return Case(sf.kfold(frame, "label", d.k, seed=d.number(0, 10**6), rare="ignore"), "label")


def survey(d: Draw) -> Case:
    """Deal ten answers of people, who may agree or not with all."""
    attitude = d.rng.uniform(0.3, 0.9)
    shared = d.rng.normal(size=d.n)
    answers = attitude * shared + np.sqrt(1 - attitude**2) * d.rng.normal(size=(10, d.n))
    places = np.digitize(answers, [-1.5, -0.5, 0.5, 1.5]) + 1
    frame = d.frame({f"q{i}": row for i, row in enumerate(places)} | {"label": d.classes(3)})
    return Case(sf.kfold(frame, "label", d.k, seed=d.number(0, 10**6), rare="ignore"), "label")


def visits(d: Draw) -> Case:
    """Deal visits, whose patients have one sex each."""
    patients = d.groups(20, d.n // 2)
    sexes = {patient: "fm"[place % 2] for place, patient in enumerate(np.unique(patients))}
    columns = {"visit": d.names(), "patient": patients, "sex": [sexes[each] for each in patients]}
    made = sf.kfold(d.frame(columns), "sex", d.k, seed=d.number(0, 10**6), rare="ignore")
    return Case(made, "sex")


def ordered(d: Draw, x: Any) -> Case:
    """Deal by an order, which is also known without its term."""
    return d.deal({"x": x}, X)._replace(by=d.one_of("x", X))


def divided(d: Draw, by: Any) -> Case:
    """Deal by bins or clusters, or by those of a class."""
    columns = {"label": d.classes(), "x": d.one_of(d.fractions(), d.whole()), "m": d.fractions()}
    return d.deal(columns, d.one_of(by, ["label", by]))


def shuffled(d: Draw) -> Case:
    """Deal rows at random, whatever their labels, in a column of any source."""
    labels = [f"class {number}" for number in d.ids(d.number(2, 60))]
    columns = {"label": labels, "x": d.one_of(d.fractions(), d.whole()), **d.others()}
    folds = d.rng.permutation(d.n) % d.k
    return Case(d.frame({**columns, "fold": folds}), d.one_of("label", "x", X))


def by_time(d: Draw, early: str = "train", late: str = "test", ties: int = 0) -> Case:
    """Cut rows at a day, of which the early part may have some; classes may change with time."""
    days = np.sort(d.rng.integers(0, 20 * d.n, d.n))
    cut = d.number(d.n // 2, d.n - 2)
    cut = int(np.searchsorted(days, days[cut])) or 1
    days[cut : cut + ties] = days[cut - 1]
    when = pd.to_datetime(days, unit="D").to_numpy()
    columns = {"label": d.one_of(np.sort, d.rng.permutation)(d.classes(4)), **d.others()}
    split = [early] * cut + [late] * (d.n - cut)
    rows = d.frame({**columns, "split": split})
    options = {"name": "split", "time": "when", "features": "label"}
    return Case(replace(rows, when=when)[::-1], d.one_of(None, "label"), options)


def last_rows(d: Draw) -> Case:
    """Test on the last rows of each user."""
    columns = {"user": d.groups(d.n // 8 + 1, d.n // 3), "when": d.rng.permutation(d.n)}
    late = pd.DataFrame(columns).groupby("user")["when"].rank(pct=True) > 0.8
    split = np.where(late, "test", "train")
    rows = d.frame({**columns, "label": d.classes(4), **d.others(), "split": split})
    return Case(rows, "label", {"name": "split", "time": ["user", "when"]})


def dated(d: Draw) -> dict[str, Any]:
    """Draw rows in the order of their dates, and a class that becomes more frequent."""
    minutes = np.sort(d.rng.choice(10**6, d.n, replace=False)).tolist()
    times = [datetime(2023, 1, 1) + timedelta(minutes=each) for each in minutes]
    day = d.one_of(times, [time.isoformat() for time in times])
    label = d.rng.random(d.n) < np.linspace(0.1, 0.9, d.n)
    return {**d.others(), "day": day, "label": label}


def newest(d: Draw, *names: str, n_late: int = 0) -> Case:
    """Name the first four fifths of the rows and the newest fifth, but for some late rows."""
    is_new = np.arange(d.n) >= 0.8 * d.n
    is_new[:n_late] = True
    return Case(d.frame({**dated(d), "split": np.where(is_new, *names[::-1])}), "label", SPLIT)


def mixed_but_newest(d: Draw) -> Case:
    """Test on the newest fifth, and mix training and validation rows."""
    part = np.where(d.rng.random(d.n) < 0.75, "train", "valid")
    part[np.arange(d.n) >= 0.8 * d.n] = "test"
    return Case(d.frame({**dated(d), "split": part}), "label", SPLIT)


def blocks_of_time(d: Draw) -> Case:
    """Cut rows that are in the order of their dates into folds."""
    d.k = min(d.k, d.n // 12)
    return Case(d.frame({**dated(d), "fold": np.arange(d.n) * d.k // d.n}), "label")


def mixed_dates(d: Draw) -> Case:
    """Draw training and test rows of all times, although the label changes."""
    made = sf.split(d.frame(dated(d)), "label", seed=d.number(0, 10**6))
    return Case(made, "label", SPLIT)


def names_as_labels(d: Draw) -> Case:
    """Deal rows, and name the folds by months or by ids of sites."""
    d.k = min(d.k, 5)
    case = d.deal({"label": d.classes()})
    names = np.array(d.one_of([3, 7, 12, 40, 41], [202411, 202412, 202501, 202502, 202504]))
    return case._replace(frame=replace(case.frame, fold=names[np.array(case.frame["fold"])]))


def lost(d: Draw) -> Case:
    """Lose the rows of a fold between others."""
    d.k = d.number(3, min(10, d.n // 12))
    case = d.deal({"label": d.classes(3)})
    rows = np.flatnonzero(np.array(case.frame["fold"]) != d.number(1, d.k - 2))
    frame = case.frame.iloc[rows] if d.library == "pandas" else case.frame[rows]
    return case._replace(frame=frame)


def whole_groups(d: Draw) -> Case:
    """Deal whole patients, each of one label mostly, and do not say that they are groups."""
    patients = d.groups(4 * d.k, d.n // 3)
    of_patient = dict(zip(np.unique(patients), d.classes(4), strict=False))
    usual = np.array([of_patient[each] for each in patients])
    columns = {
        "nr": patients,
        "label": np.where(d.rng.random(d.n) < 0.8, usual, d.classes(4)),
        "x": d.rng.normal(size=d.n),
    }
    case = d.deal(columns, d.one_of(None, "label"), groups="nr")
    return case._replace(by="label", options={})


def sites(d: Draw) -> Case:
    """Take each site as a fold: the column itself, or numbers of the sites beside it."""
    count = d.number(3, 8)
    codes = np.append(np.arange(count), d.rng.choice(count, d.n - count, p=d.unequal(count)))
    usual = d.rng.permutation(count)[codes] % 3
    columns = {
        "label": np.where(d.rng.random(d.n) < 0.7, usual, d.rng.integers(3, size=d.n)),
        "town": np.array([*"abcdefgh"])[codes],
        "x": d.rng.normal(size=d.n),
    }
    if d.chance(0.5):
        return Case(d.frame(columns), "label", {"name": "town"})
    return Case(d.frame(columns | {"fold": codes}), "label")


def people(d: Draw) -> dict[str, Any]:
    """Draw columns in which hardly any rows are equal."""
    return {
        "zip": d.rng.integers(10_000, 99_999, d.n),
        "age": d.ids(73),
        "weight": np.round(d.rng.normal(70, 12, d.n), 1),
        "height": np.round(d.rng.normal(170, 9, d.n)),
        "label": d.classes(4),
    }


def measurements(d: Draw) -> Case:
    """Deal measurements of units that have a number, and all else in common."""
    units = np.sort(d.rng.integers(0, max(d.n // 4, 1), d.n))
    columns = {"nr": units, "arm": units % 3, "born": 1940 + units % 50, "sex": units % 2}
    value = d.one_of(d.rng.normal(size=d.n), np.round(d.rng.normal(120, 15, d.n), 1))
    return Case(d.frame(columns | {"value": value, "fold": d.rng.permutation(d.n) % d.k}))


def predicted(d: Draw) -> Case:
    """Deal rows that differ, beside a column of predictions."""
    columns = people(d) | {"oof": d.rng.normal(size=d.n)}
    return Case(d.frame(columns | {"fold": d.rng.permutation(d.n) % d.k}))


class Kind(NamedTuple):
    """How columns of a kind are made, and of how many rows."""

    make: Callable[[Draw], Case]
    least: int = 15
    most: int = 3000


GOOD = {
    "classes": Kind(lambda d: d.deal({"label": d.classes()})),
    "many rows": Kind(lambda d: d.deal({"label": d.classes()}), 3000, 10**6),
    "joint": Kind(lambda d: d.deal({each: d.classes(4) for each in LABELS}, LABELS[: d.k % 2 + 2])),
    "rare": Kind(lambda d: d.deal({"label": d.classes(16, 0.3)})),
    "pooled": Kind(lambda d: d.deal({"label": d.classes(16, 0.3)}, rare="pool")),
    "class ids": Kind(lambda d: d.deal({"label": d.ids(d.number(3, d.n))}), 15, 40),
    "quantiles": Kind(lambda d: divided(d, sf.quantiles("x", d.number(2, 10)))),
    "continuous": Kind(lambda d: ordered(d, d.fractions())),
    "whole numbers": Kind(lambda d: ordered(d, d.whole())),
    "continuous in classes": Kind(lambda d: d.deal({"a": d.classes(), "x": d.whole()}, ["a", X])),
    "ages": Kind(lambda d: d.deal({"age": d.ids(73), "sex": d.classes(2)}, d.one_of(*AGES))),
    "clusters": Kind(lambda d: divided(d, sf.clusters(["m", "x"], d.number(2, 6))), 30, 600),
    "margins": Kind(lambda d: d.deal({each: d.classes(3) for each in LABELS}, sf.margins(LABELS))),
    "few groups": Kind(lambda d: grouped(d, d.k, 3 * d.k), 40),
    "many groups": Kind(lambda d: grouped(d, 4 * d.k, d.n // 2), 100),
    "groups by label": Kind(lambda d: grouped(d, d.k, d.n, "label"), 40),
    "groups by number": Kind(lambda d: grouped(d, d.k, d.n, X), 40),
    "groups of some rows": Kind(lambda d: grouped(d, 3 * d.k, d.n, "label", where="use"), 100),
    "groups of one class": Kind(one_class_groups, 40, 1000),
    "clusters as groups": Kind(
        lambda d: d.deal({"m": d.fractions()}, None, groups=sf.clusters("m", 2 * d.k)), 100, 600
    ),
    "hash": Kind(hashed, 100),
    "repeats": Kind(lambda d: d.deal({"label": d.classes()}, repeats=d.number(2, 5)), 15, 1000),
    "extended": Kind(extended, 30),
    "parts": Kind(parts, 40),
    "circular": Kind(lambda d: d.deal({"label": np.sort(d.classes())}, deal="circular", seed=0)),
    "circular order": Kind(lambda d: d.deal({"x": d.whole()}, X, deal="circular", seed=0)),
    "features": Kind(features),
    "city and zip": Kind(city_and_zip, 30),
    "survey": Kind(survey, 30),
    "ids": Kind(lambda d: d.deal({"label": d.classes(), "name": d.names()}, key="name")),
    "visits": Kind(visits, 60),
    "shuffled": Kind(shuffled),
    "measurements": Kind(measurements, 100),
    "predictions": Kind(predicted, 100),
    "split by time": Kind(by_time),
    "last rows of users": Kind(last_rows, 40),
    "newest as test": Kind(lambda d: newest(d, "train", "test"), 60),
    "newest of three parts": Kind(mixed_but_newest, 60),
    "blocks of time": Kind(blocks_of_time, 60),
    "names as labels": Kind(names_as_labels),
    "whole groups": Kind(whole_groups, 100),
    "sites": Kind(sites, 60),
}


def replace(frame: Any, **columns: Any) -> Any:
    """Replace columns of a frame."""
    if isinstance(frame, pd.DataFrame):
        return frame.assign(**columns)
    return frame.with_columns(**{name: pl.Series(values) for name, values in columns.items()})


def in_order(d: Draw, column: str, *by: str, **options: Any) -> Case:
    """Cut a frame that is sorted by a column into folds."""
    when = pd.to_datetime(d.rng.integers(0, 900, d.n), unit="D").to_numpy()
    numbers = d.one_of(d.fractions(), d.whole())
    sorts = {"label": np.sort(d.classes(5, 5)), "when": np.sort(when), "x": np.sort(numbers)}
    columns = {**d.others(), "fold": np.arange(d.n) * d.k // d.n}
    return Case(replace(d.frame(columns), **{column: sorts[column]}), *by, options=options)


def leaked_groups(d: Draw, share: float) -> Case:
    """Move a row of some groups to another fold."""
    case = grouped(d, 2 * d.k, d.n // 2, d.one_of(None, "label"))
    folds = np.array(case.frame["fold"])
    patients = np.array(case.frame["patient"])
    names, sizes = np.unique(patients, return_counts=True)
    several = d.rng.permutation(names[sizes > 1])
    for name in several[: max(1, int(share * len(several)))]:
        row = d.rng.choice(np.flatnonzero(patients == name))
        folds[row] = (folds[row] + d.number(1, d.k - 1)) % d.k
    return case._replace(frame=replace(case.frame, fold=folds))


def torn_groups(d: Draw) -> Case:
    """Move a row of up to three of many patients, who are not named as groups."""
    case = d.deal({"nr": d.groups(90, d.n // 3), "label": d.classes(4)}, groups="nr")
    folds = np.array(case.frame["fold"])
    patients = np.array(case.frame["nr"])
    names, sizes = np.unique(patients, return_counts=True)
    several = d.rng.permutation(names[sizes > 1])
    for name in several[: d.number(1, min(3, len(several) // 20))]:
        row = d.rng.choice(np.flatnonzero(patients == name))
        folds[row] = (folds[row] + d.number(1, d.k - 1)) % d.k
    return case._replace(frame=replace(case.frame, fold=folds), options={})


def copies(d: Draw, share: float, columns: dict[str, Any] | None = None) -> Case:
    """Copy rows before the folds are drawn, until copies are in other folds than their rows.

    Up to 1 % of equal rows are only noted, so that more are needed unless few rows are copied.
    Beside new ids, only copies of three columns or more can be told from visits.
    """
    columns = columns or {**d.others(measured=1), "label": d.classes()}
    columns.pop("id", None)
    chosen = d.rng.choice(d.n, max(2, int(share * d.n)), replace=False)
    rows = d.rng.permutation(np.append(np.arange(d.n), chosen))
    columns = {name: np.asarray(values)[rows] for name, values in columns.items()}
    new = [f"u{code}" for code in d.rng.permutation(len(rows))]
    has_ids = d.chance(0.5) and len(columns) >= 3
    frame = d.frame(columns | ({"id": new} if has_ids else {}))
    while True:
        made = sf.kfold(frame, "label", d.k, seed=d.number(0, 10**6), rare="ignore")
        n_apart = len({*zip(rows, made["fold"], strict=True)}) - d.n
        if n_apart > (0.005 * len(rows) if share > 0.01 else 0):
            return Case(made, "label")


def hidden_copies(d: Draw, change: Callable[[Draw, pd.DataFrame, Any], None]) -> Case:
    """Copy a tenth of the rows, change a column of the copies, and deal all rows at random."""
    rows = pd.DataFrame(people(d))
    chosen = d.rng.choice(d.n, d.n // 10, replace=False)
    both = pd.concat([rows, rows.iloc[chosen]], ignore_index=True)
    is_copy = np.arange(len(both)) >= d.n
    change(d, both, is_copy)
    # Each copy is in another fold than its row.
    folds = d.rng.integers(0, d.k, d.n)
    both["fold"] = np.append(folds, (folds[chosen] + 1) % d.k)
    shuffled = both.iloc[d.rng.permutation(len(both))]
    return Case(d.frame(shuffled.to_dict("list")), "label")


def add_predictions(d: Draw, rows: pd.DataFrame, is_copy: Any) -> None:
    """Add one or two columns that differ in every row."""
    for place in range(d.number(1, 2)):
        rows[f"oof{place}"] = d.rng.normal(size=len(rows))


def edit_numbers(d: Draw, rows: pd.DataFrame, is_copy: Any) -> None:
    """Add a tenth or more to the weight."""
    rows.loc[is_copy, "weight"] += d.rng.integers(1, 50, is_copy.sum()) / 10


def flip_labels(d: Draw, rows: pd.DataFrame, is_copy: Any) -> None:
    """Replace the label of each copy by another one."""
    labels = rows["label"].unique()
    following = dict(zip(labels, np.roll(labels, 1), strict=True))
    rows.loc[is_copy, "label"] = rows.loc[is_copy, "label"].map(following)


def repeat_folds(d: Draw, rows: pd.DataFrame, is_copy: Any) -> None:
    """Leave the rows as they are."""


def beside_folds(d: Draw) -> Case:
    """Copy rows beside a column that has another name for each fold."""
    case = hidden_copies(d, repeat_folds)
    names = np.array([f"site {place}" for place in range(d.k)])
    return case._replace(frame=replace(case.frame, site=names[np.array(case.frame["fold"])]))


def copied_texts(d: Draw) -> Case:
    """Copy rows of a text, a label and a number."""
    texts = [f"the {row % 7}th cat sees {row}" for row in range(d.n)]
    columns = {"text": texts, "label": d.classes(3), "stars": d.rng.integers(1, 6, d.n)}
    return copies(d, d.one_of(0.02, 0.05, 0.2), columns)


def train_as_test(d: Draw) -> Case:
    """Test on the training rows, or on a part of them."""
    unique = d.one_of(d.names(), d.rng.permutation(d.n), d.rng.normal(size=d.n))
    more = {"label": d.classes(), **d.others()} if d.chance(0.7) else {}
    more.pop("id", None)
    rows = pd.DataFrame({"text": unique, **more})
    tested = rows.sample(frac=d.one_of(1.0, 0.5), random_state=d.number(0, 10**6))
    both = pd.concat([rows.assign(split="train"), tested.assign(split="test")])
    return Case(d.frame(both.to_dict("list")), options={"name": "split"})


def spoiled(d: Draw, spoil: Callable[[Draw, Any, Any, int], None]) -> Case:
    """Change the labels or the folds of good folds by four classes, of 40 to 10 % of the rows."""
    label = d.rng.choice(4, d.n, p=[0.4, 0.3, 0.2, 0.1])
    columns = {"label": label, **d.others()}
    folds = np.array(sf.kfold(d.frame(columns), "label", d.k, seed=d.number(0, 10**6))["fold"])
    spoil(d, label, folds, d.number(0, d.k - 1))
    return Case(d.frame({**columns, "fold": folds}), "label")


def swap(d: Draw, label: Any, folds: Any, fold: int) -> None:
    """Swap the names of two classes in a fold."""
    first, second = d.one_of((0, 2), (0, 3), (1, 3))
    one, other = (np.flatnonzero((folds == fold) & (label == each)) for each in (first, second))
    label[one], label[other] = second, first


def lose(d: Draw, label: Any, folds: Any, fold: int) -> None:
    """Move all rows of a class from a fold to others."""
    rows = np.flatnonzero((folds == fold) & (label == d.number(0, 2)))
    folds[rows] = (fold + d.rng.integers(1, d.k, len(rows))) % d.k


def move(d: Draw, label: Any, folds: Any, fold: int) -> None:
    """Move a fifth of a class from a fold to another."""
    rows = np.flatnonzero((folds == fold) & (label == d.number(1, 2)))
    folds[rows[: len(rows) // 5]] = (fold + 1) % d.k


def unequal(d: Draw) -> Case:
    """Name parts by numbers, as if they were folds."""
    made = d.deal({"label": d.classes(3)}).frame
    made = sf.split(made, "label", {"0": 0.9, "1": 0.05, "2": 0.05}, rare="ignore")
    folds = np.array([int(part) for part in made["split"]]) + d.one_of(0, 1)
    return Case(replace(made, fold=folds), d.one_of(None, "label"))


BAD = {
    "sorted": Kind(lambda d: in_order(d, "label", "label"), 100),
    "sorted numbers": Kind(lambda d: in_order(d, "x", "x"), 300),
    "some groups leak": Kind(lambda d: leaked_groups(d, 0.1), 60),
    "all groups leak": Kind(lambda d: leaked_groups(d, 1.0), 60),
    "2 % copies": Kind(lambda d: copies(d, 0.02), 40),
    "20 % copies": Kind(lambda d: copies(d, 0.2), 40),
    "copied texts": Kind(copied_texts, 40),
    "train as test": Kind(train_as_test, 100),
    "copies beside predictions": Kind(lambda d: hidden_copies(d, add_predictions), 150),
    "edited copies": Kind(lambda d: hidden_copies(d, edit_numbers), 150),
    "flipped copies": Kind(lambda d: hidden_copies(d, flip_labels), 150),
    "copies beside folds": Kind(beside_folds, 150),
    "swapped labels": Kind(lambda d: spoiled(d, swap), 3000, 9000),
    "a class missing": Kind(lambda d: spoiled(d, lose), 600),
    "a fifth moved": Kind(lambda d: spoiled(d, move), 30_000, 60_000),
    "sizes": Kind(unequal, 60),
    "dates": Kind(lambda d: in_order(d, "when", features="when"), 100),
    "test before train": Kind(lambda d: by_time(d, "test", "train")),
    "oldest as test": Kind(lambda d: newest(d, "test", "train"), 60),
    "a lost fold": Kind(lost, 60),
    "torn groups": Kind(torn_groups, 300),
    "ties at the border": Kind(lambda d: by_time(d, ties=1)),
}


def forgotten(d: Draw) -> Case:
    """Deal the rows of patients who are not named as groups."""
    columns = {"label": d.classes(4), "x": d.rng.normal(size=d.n)}
    ids = "patient_id", "PatientID", "user", "customerId", "subject no", "MRN", "order.id"
    columns = {d.one_of(*ids): d.groups(20, d.n // 2), **columns}
    return d.deal(columns, d.one_of(None, "label", X))


def unnamed_ids(d: Draw) -> Case:
    """Deal the visits of people, whose column has no name of ids."""
    people = np.arange(d.n) // d.number(3, 8)
    columns = {
        "code": [f"c{each}" for each in people],
        "visit": positions_of(people),
        "sex": d.rng.permutation(people[-1] + 1)[people] % 2,
        "label": d.classes(3),
        "x": d.rng.normal(size=d.n),
    }
    rows = d.one_of(np.arange(d.n), d.rng.permutation(d.n))
    return d.deal({name: np.asarray(values)[rows] for name, values in columns.items()})


def positions_of(ascending: Any) -> Any:
    """Number the rows of each value of a sorted column."""
    return np.arange(len(ascending)) - np.searchsorted(ascending, ascending)


NOTED = {
    "forgotten groups": Kind(forgotten, 60),
    "ids without a name": Kind(unnamed_ids, 300),
    "few copies": Kind(lambda d: copies(d, 0.003), 700),
    "mixed dates": Kind(mixed_dates, 200),
    "late rows": Kind(lambda d: newest(d, "train", "test", n_late=2), 250),
}
"""Columns that are fit for use, of which something is noted."""
NOTES = {
    "forgotten groups": "groups=",
    "ids without a name": "groups=",
    "few copies": "equal a row of another",
    "mixed dates": "'day' is mixed over parts",
    "late rows": "but for 2 rows",
}


def judge(library: str, kind: str, *seed: int) -> Any:
    """Make a column of a kind, and judge it."""
    make, least, most = (GOOD | NOTED | BAD)[kind]
    frame, by, options = make(Draw(library, (*seed, *kind.encode()), least, most))
    return sf.check(frame, by, **options)


def run(kinds: dict[str, Kind], library: str, seed: int, n: int) -> list[str]:
    """Judge n columns, all good, noted or bad, and list those that are judged wrong."""
    every = []
    for place, kind in enumerate(kinds):
        numbers = range(place, n, len(kinds))
        wrong = []
        for number in numbers:
            found = judge(library, kind, seed, number)
            is_silent = kinds is NOTED and NOTES[kind] not in str(found)
            if bool(found) == (kinds is BAD) or is_silent:
                wrong.append(f"    judge{library, kind, seed, number}: {found}")
        print(f"{kind:24}{len(wrong):5} of {len(numbers)}", *wrong[:1], sep="\n")
        every += wrong
    return every
