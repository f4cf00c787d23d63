"""What `check` says of totals."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import TWO_KINDS, columns_of, evaluate, make

EIGHT = {"y": ["a", "b"] * 40, "w": [10.0] * 80, "one": [1] * 80}


def line_of(data: dict[str, Any], kind: str = "polars", **options: Any) -> str:
    """The severity and the line of the finding on totals, and how many cells it is about."""
    by = options.pop("by", ["y", sf.total("w", "one")])
    found = columns_of(sf.check(make(kind, data), by, duplicates=None, **options).findings)
    place = found["check"].index("totals")
    return f"{found['severity'][place]} {found['n'][place]} {found['detail'][place]}"


def dealt(*heavy: float, **more: Any) -> dict[str, Any]:
    """80 rows in folds 0 and 1, of which the first rows of fold 0 have other weights."""
    weights = [*heavy, *EIGHT["w"][len(heavy) :]]
    return {**EIGHT, "w": weights, "fold": [0] * 40 + [1] * 40, **more}


LINES = {
    "dict(y=[*'aab'], w=[2, 1, 1], one=[1, 0, 1], fold=[0, 1, 1])": (
        "ok 0 w, one: totals within 0 % of their shares"
    ),
    "dealt()": "ok 0 w, one: totals within 0 % of their shares",
    "dealt(10.8, 10.8)": "ok 0 w, one: totals within 0.2 % of their shares",
    "dealt(30)": "note 2 w, one: totals within 2.44 % of their shares",
    "dealt(110)": "note 2 w, one: totals within 11 % of their shares",
    "dealt(*[15] * 40)": "warning 2 total of 'w': fold 0 has 20 % more than its share",
    "dealt(*[1] * 40)": "warning 2 total of 'w': fold 0 has 82 % less than its share",
    "dealt(*[0] * 80)": "ok 0 w, one: totals within 0 % of their shares",
    "dealt(*[1e308, -1e308] * 20)": "ok 0 w, one: totals within 0 % of their shares",
    # Rows without a fold, whose weights do not count, and parts.
    "dealt(None, fold=[None] + [0] * 39 + [1] * 40)": (
        "ok 0 w, one: totals within 0 % of their shares"
    ),
    "dealt(*[15] * 40, fold=['train'] * 40 + ['test'] * 40)": (
        "warning 2 total of 'w': part train has 20 % more than its share"
    ),
    # Chance may put four heavy groups of eight into one fold, but not forty heavy rows of eighty.
    "dealt(*[15] * 40, g=[row // 10 for row in range(80)]), groups='g'": (
        "note 2 w, one: totals within 20 % of their shares"
    ),
    "dealt(*[15] * 40, g=range(80)), groups='g'": (
        "warning 2 total of 'w': fold 0 has 20 % more than its share"
    ),
}


@pytest.mark.parametrize("case", LINES)
def test_lines_on_totals(kind: str, case: str) -> None:
    """Totals are well, noted or wrong, by the worst fold of any column."""
    assert (
        evaluate(f"line_of({case}, kind=kind)", line_of=line_of, dealt=dealt, kind=kind)
        == (LINES[case])
    )


def test_totals_are_judged_only_where_they_are_asked_for() -> None:
    """Without `sf.total` nothing is said of totals, and alone it is enough, without strata."""
    data = make("polars", dealt(*[15] * 40))
    assert "total" not in sf.check(data, ["y", sf.continuous("w")], duplicates=None).text
    for by, checks in ((sf.total("w"), ["totals", "sizes"]), (sf.chain("w"), ["balance", "sizes"])):
        found = sf.check(data, by, duplicates=None)
        assert found.ok == ("totals" not in checks)
        assert found.findings["check"].to_list() == checks
    numbered = make("pandas", {1: [1.0, 9.0] * 40, "fold": [0, 1] * 40})
    assert "total of 1: fold 0 has" in sf.check(numbered, sf.total(1)).text
    assert sf.report(data.head(0), sf.total("w")).height == 0
    computed = sf.total("one", lambda frame: frame["one"].to_numpy() + frame["fold"].to_numpy())
    found = line_of(dealt(), "pandas", by=computed)
    assert found == "warning 2 total of 'column 2': fold 0 has 33 % less than its share"


@given(
    rows=st.lists(
        st.tuples(st.integers(-20, 200), st.integers(0, 2), st.integers(0, 9)),
        min_size=2,
        max_size=60,
    ),
    times=st.sampled_from([1, 20]),
    in_groups=st.booleans(),
    kind=st.sampled_from(TWO_KINDS),
)
def test_totals_are_judged_by_the_rules(
    rows: list[tuple[int, int, int]], times: int, in_groups: bool, kind: str
) -> None:
    """Warnings need a tenth of the share, and four standard deviations of a random deal."""
    w, folds, groups = (list(each) for each in zip(*rows * times, strict=True))
    n, scale, mean = len(w), sum(map(abs, w)), Fraction(sum(w), len(w))
    units = groups if in_groups else list(range(n))
    beyond = [
        sum(x - mean for x, unit in zip(w, units, strict=True) if unit == u) for u in {*units}
    ]
    squares = sum(each**2 for each in beyond) * Fraction(len(beyond), max(len(beyond) - 1, 1))
    held = {
        fold: [x for x, each in zip(w, folds, strict=True) if each == fold] for fold in {*folds}
    }
    sizes = {fold: len(own) for fold, own in held.items()}
    is_equal = max(sizes.values()) - min(sizes.values()) <= 1

    def judge(shares: dict[int, Fraction]) -> tuple[dict[int, Fraction], int]:
        """Measure how far each fold is off its share of the total, and count those far off."""
        far, flagged = {}, 0
        for fold, share in shares.items():
            off = abs(sum(held[fold]) - mean * n * share)
            far[fold] = off / (scale * share) if scale else Fraction(0)
            part = Fraction(sizes[fold], n)
            sigmas = off**2 / (squares * part * (1 - part)) if squares and part < 1 else 0
            assume(abs(far[fold] - Fraction(1, 10)) > 1e-9 and abs(sigmas - 16) > 1e-9)
            flagged += far[fold] > 0.1 and sigmas > 16
        return far, flagged

    far, flagged = judge({fold: Fraction(size, n) for fold, size in sizes.items()})
    if is_equal:  # the kinder of two meanings of a share
        equal = judge(dict.fromkeys(sizes, Fraction(1, len(sizes))))
        far, flagged = min((far, flagged), equal, key=lambda each: max(each[0].values()))
    bounds = {f: Fraction(1, 100) + (0 if is_equal else Fraction(1, sizes[f])) for f in sizes}
    assume(all(abs(far[fold] - bounds[fold]) > 1e-9 for fold in far))
    options = {"groups": "g"} if in_groups else {}
    data = {"w": w, "fold": folds, "g": groups}
    line = line_of(data, kind, by=sf.total("w"), **options)
    severity, n_off, *_ = line.split()
    if flagged:
        assert (severity, n_off) == ("warning", str(flagged))
        return
    noted = sum(far[fold] > bounds[fold] for fold in far)
    assert (severity, n_off) == ("note" if noted else "ok", str(noted))
    percent = float(line.split()[-5])
    assert percent - (0.5 if percent >= 10 else 0.011) <= 100 * max(far.values()) <= percent + 0.5
