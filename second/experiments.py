"""The experiments fpr, fill, window, memory, extend and table1 of docs/rows.md. Each yields its rows."""
from functools import cached_property

import numpy as np

import formulas
import structures
from hashing import pick, u64
from structures import MOST, R
from workload import (CANDIDATES, CATALOGUE, DAY, FRESH, GRID, LIVES, SHARE, Histories, Population, daily, over_lives)

PAPERS = ("queue", "single", "dual", "chain")
VALUES = ("value", "low", "high", "theory", "paper", "count")


def row(experiment, strategy, quantity, unit="", dimensions=None, **values):
    """A row: its key, and its numbers by column."""
    return (experiment, strategy, quantity, tuple(sorted((dimensions or {}).items()))), dict(values, unit=unit)


def rate(q, h):
    """Rates: the columns of one rate, of queries and hits by pair; empty without queries."""
    q, h = np.asarray(q, dtype=int), np.asarray(h, dtype=int)
    n, queries, hits = len(q), int(q.sum()), int(h.sum())
    if queries == 0:
        return {}
    f = hits / queries
    if n >= 30 and hits >= 30 and queries - hits >= 30:
        e = 1.959964 * variance(q, h) ** 0.5
        low, high = max(0, f - e), min(1, f + e)
    else:
        low, high = formulas.clopper_pearson(hits, queries)
    return dict(value=f, low=low, high=high, count=queries)


def variance(q, h):
    """Rates: e/1.959964 squared."""
    n, f = len(q), h.sum() / q.sum()
    return max(0, (h * h).sum() - 2 * f * (h * q).sum() + f * f * (q * q).sum()) * n / (n - 1) / float(q.sum()) ** 2


class Measured:
    """What one structure answered on the full population."""

    def __init__(self, structure, population):
        self.s, self.users = structure, max(1, len(population.users) // structure.share)
        user, articles, index = (column[population.moments()[0] < self.users] for column in population.moments())
        zero = np.zeros(self.users, int)
        life = population.life[:self.users]
        whole = Histories.of(population, np.arange(self.users), zero, life)
        h = Histories(whole.ids, whole.begin[user], articles)
        state = structure.record(h)
        every = np.arange(len(user))
        fresh = population.ids(user[:, None], FRESH + CANDIDATES * index[:, None] + np.arange(CANDIDATES))
        self.user, self.articles, self.false = user, articles, state.seen(fresh, every).sum(axis=1)
        self.set, self.bits = state.fill() if structure.fill is not None else (None, None)
        self.life, self.window = life, structure.window[life]
        self.end = np.nonzero(articles == life[user])[0]
        person, w = np.arange(self.users)[:, None], self.window[:, None]
        step = 8 + np.arange(24)
        reach = np.where((np.arange(24) < 4) | (w == 0), np.minimum(life, 1000)[:, None], w)
        self.ages = 1 + pick(population.seed, person, step, reach)
        self.ages[:, 4:6] = np.where(w > 0, np.hstack([w, w * 0 + 1]), self.ages[:, 4:6])
        self.again = state.seen(population.ids(person, life[:, None] - self.ages), self.end)
        newest = population.ids(person, life[:, None] - np.arange(1, 101))
        self.missed = (~state.seen(newest, self.end)).sum(axis=1) if (w == 0).any() else None

    def points(self):
        """Each point of the grid with the moments there."""
        for point in GRID:
            at = np.nonzero(self.articles == point)[0]
            if len(at):
                yield int(point), at

    def fpr(self, at):
        return rate(np.full(len(at), CANDIDATES), self.false[at])


class Run:
    """A run of so many users and a seed: what several experiments ask for, made once."""

    def __init__(self, users, seed):
        self.users, self.seed, self.population = users, seed, Population(seed, users)

    @cached_property
    def measured(self):
        return {s.name: Measured(s, self.population) for s in structures.all_structures()}

    @cached_property
    def retained(self):
        """extend: users who take part, articles since, and those held by each paper's structure."""
        user = np.nonzero(pick(self.seed, self.population.users, -1, 20) == 0)[0]
        since = np.array([0, 50, 100, 200, 300, 400, 500, 600])[pick(self.seed, user, -2, 8)]
        held = {n: self.measured[n].window[user] * (n in ("queue", "chain")) for n in PAPERS}
        return user, since, held


def fpr(run):
    grid = np.unique(np.append(np.arange(0, 2001, 10), np.arange(101, 2000, 100)))
    for name, m in run.measured.items():
        paper = {"single": 0.0156}.get(name, None if "/" in name else 0)
        for point, at in m.points():
            yield row("fpr", name, "fpr", "ratio", {"articles": point}, theory=m.s.rate[point], paper=paper, **m.fpr(at))
        for formula, table in (("exact", m.s.rate), ("asymptotic", m.s.asymptotic)):
            for n in grid if table is not None else []:
                yield row("fpr", name, "fpr", "ratio", {"articles": int(n), "formula": formula}, theory=table[n])
        if name in PAPERS:
            users = run.users // 100 if run.users > 2_000_000 else min(run.users, 20_000)
            steps = list(daily(Population(run.seed, users), m.s, 30, most=1000))
            held, unseen, false = (np.concatenate([s[i] for s in steps]) for i in (2, 3, 4))
            for n in range(0, 1001, 50):
                values = rate(unseen[held == n], false[held == n])
                if values:
                    yield row("fpr", name, "fpr", "ratio", {"articles": n, "recorded": "passed"}, **values)


def fill(run):
    for name, m in run.measured.items():
        for point, at in m.points() if m.s.fill is not None else []:
            value = m.set[at].sum() / max(1, m.bits[at].sum())
            paper = 1 if (name, point) == ("single", 500) else None
            yield row("fill", name, "fill", "ratio", {"articles": point}, value=value, theory=m.s.fill[point], paper=paper,
                      count=len(at))


def window(run):
    reach = np.minimum(LIVES, 1000)
    for name, m in run.measured.items():
        ages, hit = m.ages[:, :4].ravel(), m.again[:, :4].ravel()
        chance = m.s.chance(LIVES)[:, 1:]
        weight = np.where(np.arange(1, 1001) <= reach[:, None], (SHARE / reach)[:, None], 0)
        for b in range(100):
            cells = np.s_[:, 10 * b:10 * b + 10]
            values = rate(*zip(*[(1, x) for x in hit[(ages - 1) // 10 == b]])) if ((ages - 1) // 10 == b).any() else {}
            if values:
                theory = (weight[cells] * chance[cells]).sum() / weight[cells].sum()
                yield row("window", name, "retention", "ratio", {"age": 10 * b + 5.5}, theory=theory, **values)
        inside = m.window > 0
        if inside.any():
            yield row("window", name, "repeats shown inside the window", value=(~m.again[inside, 4:]).sum(), theory=0,
                      count=20 * inside.sum())
        if m.missed is not None:
            newest = np.where(m.s.window == 0, np.minimum(m.s.newest, 100) * (1 - m.s.rate), 0)
            for statistic, value, theory in (("mean", m.missed.mean(), over_lives(newest)), ("most", m.missed.max(), 100)):
                yield row("window", name, "newest missed", "", {"statistic": statistic}, value=value, theory=theory,
                          count=m.users)


def memory(run):
    for name, m in run.measured.items():
        size, mean = m.s.bytes[m.life], over_lives(m.s.bytes)
        for point, at in m.points():
            yield row("memory", name, "bytes per user", "B", {"articles": point}, value=m.s.bytes[point],
                      theory=m.s.bytes[point], count=len(at))
        for n in sorted({m.users} | {10**i for i in range(5, 10) if 10**i < m.users}):
            paper = {"queue": 40e9, "single": 5e9}.get(name) if n == 10_000_000 else None
            yield row("memory", name, "payload total", "B", {"users": n}, value=size[:n].sum(), theory=mean * n, paper=paper,
                      count=n)
        for i in range(10, 19):
            n = int(10 ** (i / 2) + 0.5)
            yield row("memory", name, "payload total", "B", {"users": n, "formula": "exact"}, theory=mean * n)
    population = Population(run.seed, max(1, run.users // 40))
    filters, head, full = structures.links(812, 6, 100, 5, r=np.arange(20_000))
    chain = structures.chain("chain")
    chain.window = head + 100 * full
    held = np.zeros((11, len(population.users)), int)
    for user, at, _, _, _, recorded in daily(population, chain, 10, coming_and_going=True):
        late = at % DAY > 0
        held[1 + at[late] // DAY, user[late]] = recorded[late]
    for day in range(1, 11):
        alive = held[day] > 0
        size = structures.length(812, full[held[day][alive]] + 1) + 4
        for quantity, unit, value in (("users alive", "", alive.sum()), ("payload total", "B", size.sum())):
            yield row("memory", "chain", quantity, unit, {"day": day}, value=value, count=len(alive))


LONGER = {"queue": lambda: structures.queue(1000), "single": lambda: structures.single("single", 8128, 6),
          "dual": lambda: structures.dual("dual", 8128, 1000, 600), "chain": lambda: structures.chain("chain", l=10)}


def mean_rate(m):
    return dict(theory=over_lives(m.s.rate), **m.fpr(m.end))


def extend(run):
    population, (user, since, helds) = run.population, run.retained
    for name in PAPERS:
        m, held, longer = run.measured[name], helds[name], LONGER[name]()
        yield row("extend", name, "fpr", "ratio", {"since": -50}, **mean_rate(m))
        life, old = population.life[user], m.s.window if name in ("queue", "chain") else 0 * R
        state = longer.record(Histories.of(population, user, life - held, held + since))
        every = np.arange(len(user))
        false = state.seen(population.ids(user[:, None], CATALOGUE - CANDIDATES + np.arange(CANDIDATES)), every).sum(axis=1)
        for n in np.unique(since):
            at = since == n
            yield row("extend", name, "fpr", "ratio", {"since": int(n)}, **rate(CANDIDATES + 0 * false[at], false[at]),
                      theory=over_lives(longer.rate[np.minimum(old + n, MOST)]))
        yield row("extend", name, "articles retained", value=held.mean(), theory=over_lives(old), count=len(user))
        w = np.minimum(held + since, longer.window[np.maximum(held + since, 1)])[:, None]
        ages = np.hstack([w, 1 + pick(run.seed, user[:, None], -3 - np.arange(1, 20), w)])
        again = state.seen(population.ids(user[:, None], (life + since)[:, None] - ages), every)
        inside = w[:, 0] > 0
        yield row("extend", name, "repeats shown inside the window", value=(~again[inside]).sum(), theory=0,
                  count=20 * inside.sum())


def table1(run):
    for name, m in run.measured.items():
        s, n = m.s, m.users
        stated = dict(zip(PAPERS, [(4000, 500, 40e9, None), (500, 500, 5e9, 0.0156), (1000, 200, None, None),
                                   (500, 400, None, None)])).get(name, (None,) * 4)
        size, mean = s.bytes[m.life] - s.header, over_lives(s.bytes) - s.header
        total = stated[2] if n == 10_000_000 else None
        for quantity, value, theory, paper in (("payload per user", size.mean(), mean, stated[0]),
                                               ("header per user", s.header, s.header, None),
                                               ("payload total", size.sum(), mean * n, total)):
            yield row("table1", name, quantity, "B", {}, value=value, theory=theory, paper=paper, count=n)

        def one(dimension, at, theory, paper=None):
            if len(at):
                yield row("table1", name, "fpr", "ratio", dimension, theory=theory, paper=paper, **m.fpr(at))
        yield from one({"articles": 500}, np.nonzero(m.articles == 500)[0], s.rate[500], stated[3])
        if s.forgets:
            ends = 500 + np.arange(300) + 300 * np.arange(6)[:, None]
            weight = SHARE[ends - 500]
            expected = (weight * s.rate[ends]).sum(axis=0) / weight.sum(axis=0)
            worst = expected[(m.life - 500) % 300] >= 0.999 * expected.max()
            yield from one({"statistic": "worst"}, m.end[worst], expected.max())
            yield row("table1", name, "fpr", "ratio", {"statistic": "mean"}, **mean_rate(m))
        else:
            for life in (500, 1000, 2000):
                yield from one({"lifetime": life}, np.nonzero(m.articles == life)[0], s.rate[life])
        yield row("table1", name, "guaranteed window", "", {"statistic": "least"}, value=m.window.min(),
                  theory=s.window[500:1100].min(), paper=stated[1], count=n)
        yield row("table1", name, "guaranteed window", "", {"statistic": "mean"}, value=m.window.mean(),
                  theory=over_lives(s.window), count=n)
        if name in PAPERS:
            held = run.retained[2][name]
            yield row("table1", name, "articles retained", value=held.mean(), count=len(held))
