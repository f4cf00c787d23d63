"""`deal="hash"`: the key of a row decides its fold, and nothing else."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import TWO_KINDS, make, refuse_rule, values

USERS = [f"user {i * 37 % 60}" for i in range(150)]
DATA = {"user": USERS, "id": list(range(-40, 110)), "ok": [i % 3 > 0 for i in range(150)]}
BY_USER = {"key": "user", "deal": "hash"}
MANY = pl.DataFrame({"id": range(100_000)})


def share_of_hashes(*key, seed=0, name="", purpose=17, repeat=0):
    """Hash a key as the documentation says, and give its share of all hashes."""
    text = f"{seed} {purpose} 0 {repeat} {name}"
    entropy = [int.from_bytes(text.encode() + b"\x01", "little"), 0xFFFFFFF0]
    u = 42
    for word in (np.random.PCG64DXSM(np.random.SeedSequence(entropy)).random_raw(), *key):
        is_text = isinstance(word, str)
        data = word.encode() if is_text else (int(word) % 2**64).to_bytes(8, "little")
        u = xxhash.xxh64_intdigest(data, seed=u)
    return u


# The formula -----------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 5, 7, 1000])
def test_folds_are_those_of_the_published_formula(frame, k):
    """The fold of a row is floor(u k / 2**64), u the hash of its key."""
    folds = values(sf.kfold(frame(DATA), k=k, **BY_USER), "fold")
    assert folds == [share_of_hashes(user) * k >> 64 for user in USERS]
    folds = values(sf.kfold(frame(DATA), k=k, key="id", deal="hash"), "fold")
    assert folds == [share_of_hashes(number) * k >> 64 for number in DATA["id"]]


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ({"seed": 2**70}, {"seed": 2**70}),
        ({"name": "inner"}, {"name": "inner"}),
        ({"name": "split"}, {}),
    ],
)
def test_seed_and_name_are_in_the_formula(options, given):
    """Seed and name choose the salt; the names of both verbs count as none."""
    folded = sf.kfold(pl.DataFrame(DATA), key=["id", "user"], deal="hash", **options)
    keys = zip(DATA["id"], USERS, strict=True)
    expected = [share_of_hashes(*key, **given) * 5 >> 64 for key in keys]
    assert folded[options.get("name", "fold")].to_list() == expected


def test_repeats_are_in_the_formula():
    """Each repeat has a salt of its own, and the first is that of one column."""
    folded = sf.kfold(pl.DataFrame(DATA), repeats=3, **BY_USER)
    for repeat in range(3):
        expected = [share_of_hashes(user, repeat=repeat) * 5 >> 64 for user in USERS]
        assert folded[f"fold_{repeat + 1}"].to_list() == expected


def test_parts_are_those_of_the_published_formula(frame):
    """A row is in the first part whose shares up to there exceed its share of all hashes."""
    shares = {"train": 0.5, "valid": 0.25, "test": None}
    parts = values(sf.split(frame(DATA), parts=shares, **BY_USER), "split")
    hashes = [share_of_hashes(user, purpose=18) for user in USERS]
    names = ["train", "train", "valid", "test"]
    assert parts == [names[u >> 62] for u in hashes]


# Nothing else decides --------------------------------------------------------------------


@given(rows=st.lists(st.integers(0, 149)), kind=st.sampled_from(TWO_KINDS))
def test_any_rows_alone_have_the_same_folds(rows, kind):
    """Other rows, their order, their number, repeats and the library change no fold."""
    known = dict(zip(USERS, values(sf.kfold(pl.DataFrame(DATA), **BY_USER), "fold"), strict=True))
    users = [USERS[row] for row in rows]
    data = pl.Series(users, dtype=pl.String) if kind.startswith("polars") else users
    alone = sf.kfold(make(kind, {"user": data}), **BY_USER)
    assert values(alone, "fold") == [known[user] for user in users]


@given(k=st.integers(2, 300), times=st.integers(2, 7))
def test_folds_halve(k, times):
    """Several times as many folds are folds of folds."""
    few, many = (sf.kfold(MANY.head(500), k=n, key="id", deal="hash") for n in (k, k * times))
    assert (few["fold"] == many["fold"] // times).all()


def test_a_wider_test_part_keeps_the_old_test_rows():
    """With the training part first, test rows stay test rows as the part grows."""
    tests = [
        set(MANY.strat.split(parts=share, key="id", deal="hash").strat.parts()["test"]["id"])
        for share in (0.05, 0.1, 0.25, 0.5)
    ]
    assert all(less < more for less, more in pairwise(tests))


def test_where_leaves_rows_out(frame):
    """Rows outside `where` have no fold, may lack a key, and change nothing."""
    users = [user if ok else None for user, ok in zip(USERS, DATA["ok"], strict=True)]
    folds = values(sf.kfold(frame({**DATA, "user": users}), where="ok", **BY_USER), "fold")
    full = values(sf.kfold(frame(DATA), **BY_USER), "fold")
    assert folds == [fold if ok else None for fold, ok in zip(full, DATA["ok"], strict=True)]


def test_frames_without_rows_get_a_column(frame):
    """An empty piece of the data is no error, as no other piece is looked at."""
    assert values(sf.kfold(frame({"user": [1, 2]}).head(0), k=9, **BY_USER), "fold") == []


# Lazy frames -----------------------------------------------------------------------------


def test_lazy_frames_stream(tmp_path):
    """A lazy frame gets one expression of each row: nothing is held, no order warned of."""
    MANY.write_parquet(tmp_path / "in.parquet")
    query = pl.scan_parquet(tmp_path / "in.parquet").unique().strat.kfold(key="id", deal="hash")
    plan = query.explain()
    assert plan.count("python_udf") == 1
    assert "HCONCAT" not in plan
    query.sink_parquet(tmp_path / "out.parquet")
    streamed = pl.read_parquet(tmp_path / "out.parquet").sort("id")
    assert streamed.equals(MANY.strat.kfold(key="id", deal="hash"))


# Errors ----------------------------------------------------------------------------------


def test_missing_keys_are_errors(kind):
    """A row without a key is named; in a lazy frame, which comes in pieces, the column alone."""
    data = make(kind, {"user": ["a", None, "b", None], "ok": [True, True, True, False]})
    lazy = "Column 'user' has missing values."
    rule = lazy if kind == "polars-lazy" else lazy[:-1] + " in 2 rows (1, 3)."
    refuse_rule(rule, lambda: sf.kfold(data, k=2, **BY_USER))
    rule = lazy if kind == "polars-lazy" else lazy[:-1] + " in 1 row (1)."
    refuse_rule(rule, lambda: sf.kfold(data, k=2, where="ok", **BY_USER))
