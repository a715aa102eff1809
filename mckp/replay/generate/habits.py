"""How agents of different kinds go about their work, each as an endless course of actions."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from mckp.replay.actions import Action, Compact
from mckp.replay.generate import words, world
from mckp.replay.generate.world import Pipeline, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random


def searches_files(rng: Random, seed: str) -> Iterator[Action]:
    """Read, search and list, often the same again; hardly ever change anything."""
    repository, recent = Repository(seed, 60), deque[str](maxlen=8)
    asked = [rng.choice(words.NOUNS) for _ in range(12)]
    while True:
        draw = rng.random()
        if draw < 0.50:
            path = _path(rng, repository, recent, again=0.45)
            yield repository.read(path)
        elif draw < 0.75:
            yield repository.grep(rng.choice(asked))
        elif draw < 0.90:
            yield repository.glob(rng.choice(asked[:6]))
        elif draw < 0.97:
            yield repository.test(rng)
        else:
            yield from repository.edit(_path(rng, repository, recent, again=0.8))


def watches_pipelines(rng: Random, seed: str) -> Iterator[Action]:
    """Poll pipelines until they are done, and look at issues and logs meanwhile."""
    number = int(seed.rsplit("/", 1)[-1]) * 1000
    pipeline = Pipeline(rng, number)
    while True:
        draw = rng.random()
        if draw < 0.40:
            yield pipeline.poll()
        elif draw < 0.75:
            yield pipeline.status()
        elif draw < 0.83:
            yield pipeline.log()
        else:
            yield rng.choice((world.listed, world.tabled, world.diffs))(rng)
        if rng.random() < 0.5:
            pipeline.tick()
        if pipeline.is_done and rng.random() < 0.3:
            number += 1
            pipeline = Pipeline(rng, number)


def refactors(rng: Random, seed: str) -> Iterator[Action]:
    """Read and change files for hours, compact now and then, and send sub-agents."""
    repository, recent = Repository(seed, 120), deque[str](maxlen=12)
    helpers = 0
    while True:
        for _ in range(rng.randrange(80, 160)):
            yield from _refactoring_step(rng, repository, recent)
            if rng.random() < 0.03:
                helpers += 1
                yield from _errand(rng, repository, recent, f"agent-{helpers}")
        recent.clear()
        yield Compact()


def _refactoring_step(rng: Random, repository: Repository, recent: deque[str]) -> Iterator[Action]:
    draw = rng.random()
    path = _path(rng, repository, recent, again=0.6)
    if draw < 0.45:
        yield repository.read(path)
    elif draw < 0.72:
        yield from repository.edit(path)
        if rng.random() < 0.5:
            yield repository.read(path)
    elif draw < 0.85:
        yield repository.test(rng)
    elif draw < 0.97:
        yield repository.grep(rng.choice(words.NOUNS))
    else:
        yield world.diffs(rng)


def _errand(
    rng: Random, repository: Repository, recent: deque[str], agent: str
) -> Iterator[Action]:
    """Let a sub-agent, which has read nothing yet, read what the main one has read too."""
    own = deque[str](maxlen=6)
    for _ in range(rng.randrange(5, 20)):
        known = recent if recent and rng.random() < 0.6 else own
        yield repository.read(_path(rng, repository, known, again=0.5), agent)
        if rng.random() < 0.3:
            yield repository.grep(rng.choice(words.NOUNS), agent)


def _path(rng: Random, repository: Repository, recent: deque[str], again: float) -> str:
    """Choose a file: one of the last ones, or any, the first ones more often."""
    if recent and rng.random() < again:
        return rng.choice(recent)
    drawn = rng.random()
    path = repository.paths[int(drawn * drawn * len(repository.paths))]
    recent.append(path)
    return path
