"""The families have the shape their definition says, at any size."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import instances
import numpy as np
import pytest
from instances.families import zigzag

from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from instances import Instance
    from numpy.typing import NDArray

EVERY = [*instances.FAMILIES, *instances.RENDERINGS]


def make(family: str, **arguments: Any) -> Instance:
    """Make an instance of any flat family."""
    if family in instances.RENDERINGS:
        return instances.renderings(family, **arguments)
    return instances.flat(family, **arguments)


def grids(instance: Instance) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return costs and values as ``[classes, options]``."""
    table = instance.table
    return table.cost.reshape(table.classes, -1), table.value.reshape(table.classes, -1)


@pytest.mark.parametrize("family", EVERY)
def test_the_seed_alone_decides(family: str) -> None:
    """One seed gives one instance, another seed another."""
    first, again, other = (make(family, seed=s, classes=20, options=4) for s in (1, 1, 2))
    assert first.table.to_json() == again.table.to_json()
    assert first.budget == again.budget
    assert first.table.to_json() != other.table.to_json()
    assert first.name != other.name


@pytest.mark.parametrize("family", EVERY)
def test_all_sizes_make_a_table(family: str) -> None:
    """One class, one option and the smallest range are enough."""
    for classes, options in ((1, 1), (1, 9), (7, 1), (3, 4)):
        assert make(family, seed=3, classes=classes, options=options).table.classes == classes
    if family in instances.FAMILIES:
        cost, _ = grids(make(family, seed=3, classes=5, options=6, largest=1))
        assert (cost >= 0).all()


@pytest.mark.parametrize("family", EVERY)
def test_the_part_places_the_budget(family: str) -> None:
    """Part 0 is the least cost of a selection, part 1 that of the cheapest best one."""
    cost, value = grids(make(family, seed=5, classes=50, options=6))
    best = [min(c[v == v.max()]) for c, v in zip(cost, value, strict=True)]
    low, middle, high = (
        make(family, seed=5, classes=50, options=6, part=part).budget for part in (0, 0.5, 1)
    )
    assert (low, high) == (cost.min(axis=1).sum(), sum(best))
    assert middle == low + (high - low) // 2


@pytest.mark.parametrize("family", EVERY)
def test_a_hundred_thousand_classes_are_quick(family: str) -> None:
    """Large instances are drawn in whole arrays."""
    begin = process_time()
    table = make(family, seed=1, classes=100_000, options=12).table
    assert process_time() - begin < 3
    assert table.classes == 100_000


def test_uncorrelated_is_uniform_and_independent() -> None:
    """Both ends of the range occur, the mean is in the middle, and nothing correlates."""
    cost, value = grids(make("uncorrelated", seed=1, classes=5000, options=4, largest=100))
    for numbers in (cost, value):
        assert (numbers.min(), numbers.max()) == (1, 100)
        assert abs(numbers.mean() - 50.5) < 1
    assert abs(np.corrcoef(cost.ravel(), value.ravel())[0, 1]) < 0.03


def test_weakly_stays_within_ten() -> None:
    """Values differ from costs by -10 .. 10, each as often, and are at least 1."""
    cost, value = grids(make("weakly", seed=1, classes=5000, options=4, largest=1000))
    off = (value - cost)[cost > 10]
    counts = np.bincount(off + 10, minlength=21)
    assert counts.size == 21
    assert counts.max() < 1.3 * counts.min()
    assert value.min() == 1


def test_strongly_gives_every_step_itself_and_ten() -> None:
    """Each step of cost is worth itself + 10, and no step is smaller than the one before."""
    cost, value = grids(make("strongly", seed=1, classes=200, options=7, largest=1000))
    steps = np.diff(cost, prepend=0)
    assert (np.diff(value, prepend=0) == steps + 10).all()
    assert (np.diff(steps) >= 0).all()
    assert (steps.min(), steps.max()) == (1, 2000 // 7)


def test_inversely_charges_every_step_itself_and_ten() -> None:
    """Each step of value costs itself + 10."""
    cost, value = grids(make("inversely", seed=1, classes=200, options=7, largest=1000))
    assert (np.diff(cost, prepend=0) == np.diff(value, prepend=0) + 10).all()


def test_subsetsum_is_worth_what_it_costs() -> None:
    """Costs are the values."""
    cost, value = grids(make("subsetsum", seed=1, classes=200, options=7))
    assert (cost == value).all()


def test_monotone_is_sorted_and_independent() -> None:
    """Costs and values ascend together, but know nothing of each other across classes."""
    cost, value = grids(make("monotone", seed=1, classes=5000, options=5, largest=1000))
    assert (np.diff(cost) >= 0).all()
    assert (np.diff(value) >= 0).all()
    assert abs(np.corrcoef(cost[:, 2], value[:, 2])[0, 1]) < 0.05


def test_zigzag_hides_undominated_options_below_the_hull() -> None:
    """Nothing is dominated, nine of ten odd options lie below the even ones' hull."""
    cost, value = zigzag(np.random.default_rng(1), 2000, 7, 1000)
    assert (np.diff(cost) > 0).all()
    assert (np.diff(value) > 0).all()
    before, after = slice(0, -2, 2), slice(2, None, 2)
    rise = (value[:, 1::2] - value[:, before]) * (cost[:, after] - cost[:, before])
    chord = (value[:, after] - value[:, before]) * (cost[:, 1::2] - cost[:, before])
    assert (rise < chord).mean() > 0.9
    on = slice(None, None, 2)
    slopes = np.diff(value[:, on]) / np.diff(cost[:, on])
    assert (np.diff(slopes) < 0).mean() > 0.9


def test_kp01s_is_an_item_or_nothing() -> None:
    """Two options a class whatever is asked: nothing, or the cost and a tenth of the range."""
    cost, value = grids(make("kp01s", seed=1, classes=300, options=7, largest=1000))
    assert cost.shape == (300, 2)
    assert not cost[:, 0].any()
    assert not value[:, 0].any()
    assert (value[:, 1] - cost[:, 1] == 100).all()


def test_an_unknown_family_lists_the_known() -> None:
    """A wrong name is answered by the right ones."""
    with pytest.raises(UnknownNameError, match="strongly"):
        instances.flat("strong", seed=1)
    with pytest.raises(UnknownNameError, match="fidelity"):
        instances.renderings("strongly", seed=1)


@pytest.mark.parametrize("wrong", ["classes", "options", "largest"])
def test_counts_below_one_are_refused(wrong: str) -> None:
    """A count of 0 is no family."""
    with pytest.raises(ValueError, match=f"{wrong} must be 1 or more, not 0"):
        instances.flat("weakly", seed=1, **{wrong: 0})


@pytest.mark.parametrize("part", [-0.1, float("nan"), float("inf")])
def test_a_part_is_a_number_of_zero_or_more(part: float) -> None:
    """A negative part would be a budget below any selection, and nan none at all."""
    with pytest.raises(ValueError, match="part is a number of 0 or more"):
        instances.flat("weakly", seed=1, part=part)
    with pytest.raises(ValueError, match="part is a number of 0 or more"):
        instances.document(seed=1, nodes=10, part=part)
