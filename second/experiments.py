"""The experiments fpr, fill, window, memory, extend and table1 of docs/rows.md, row by row."""
from functools import cached_property

import numpy as np

import structures
from rows import rate, row
from structures import NONE, R
from workload import (CANDIDATES, CATALOGUE, DAY, FRESH, GRID, LIVES, SHARE, Histories, Population,
                      daily, over_lives, pick)

PAPERS = ("queue", "single", "dual", "chain")
INSIDE = "repeats shown inside the window"
STATED = {"queue": (4000, 500, None), "single": (500, 500, 0.0156), "dual": (1000, 200, None),
          "chain": (500, 400, None)}  # payload, window and rate

class Measured:
    """What one structure answered on the full population."""

    def __init__(self, structure, population):
        self.s, self.users = structure, max(1, len(population.users) // structure.share)
        user, articles, index = population.moments()
        user, articles, index = (x[user < self.users] for x in (user, articles, index))
        everyone, life = np.arange(self.users), population.life[:self.users]
        whole = Histories.of(population, everyone, 0 * life, life)
        state = structure.record(Histories(whole.ids, whole.begin[user], articles))
        fresh = FRESH + CANDIDATES * index[:, None] + np.arange(CANDIDATES)
        asked = population.ids(user[:, None], fresh)
        self.false = state.seen(asked, np.arange(len(user))).sum(axis=1)
        self.set_bits = None
        if structure.fill is not None:
            self.set_bits = sum(part.set_bits() for part in state.parts)
        self.articles, self.life, self.window = articles, life, structure.window[life]
        self.is_end = articles == life[user]
        user, shown, w, i = everyone[:, None], life[:, None], self.window[:, None], np.arange(24)
        reach = np.where((i < 4) | (w == 0), np.minimum(shown, 1000), w)
        self.ages = 1 + pick(population.seed, user, 8 + i, reach)
        self.ages[:, 4:6] = np.where(w > 0, np.hstack([w, 0 * w + 1]), self.ages[:, 4:6])
        end = np.nonzero(self.is_end)[0]
        self.again = state.seen(population.ids(user, shown - self.ages), end)
        newest = state.seen(population.ids(user, shown - np.arange(1, 101)), end)
        self.missed = (~newest).sum(axis=1)

    def points(self):
        at = ((int(point), np.nonzero(self.articles == point)[0]) for point in GRID)
        return [(point, moments) for point, moments in at if len(moments)]

    def fpr(self, at):
        return rate(CANDIDATES, self.false[at])

class Run:
    """A run of so many users and a seed, and what several experiments ask for."""

    def __init__(self, users, seed):
        self.users, self.seed, self.population = users, seed, Population(seed, users)

    @cached_property
    def measured(self):
        return {s.name: Measured(s, self.population) for s in structures.every_structure()}

    @cached_property
    def growing(self):
        """extend: the users who take part, and what the paper's four hold of each."""
        user = np.nonzero(pick(self.seed, self.population.users, -1, 20) == 0)[0]
        return user, {n: self.measured[n].window[user] * (n in ("queue", "chain")) for n in PAPERS}

def fpr(run):
    for name, m in run.measured.items():
        paper = 0.0156 if name == "single" else None if "/" in name else 0
        for point, at in m.points():
            theory = m.s.rate[point]
            yield row(name, "fpr", articles=point, theory=theory, paper=paper, **m.fpr(at))
        for formula, table in (("exact", m.s.rate), ("asymptotic", m.s.asymptotic)):
            for n in {*range(0, 2001, 10), *range(101, 2000, 100)} if table is not None else ():
                yield row(name, "fpr", articles=n, formula=formula, theory=table[n])
    population = Population(run.seed, min(run.users, 20_000))
    for name in PAPERS:
        steps = zip(*daily(population, run.measured[name].s, 30, most=1000))
        _, _, held, unseen, false, _ = (np.concatenate(column) for column in steps)
        for n in range(0, 1001, 50):
            if numbers := rate(unseen[held == n], false[held == n]):
                yield row(name, "fpr", articles=n, recorded="passed", **numbers)

def fill(run):
    for name, m in run.measured.items():
        for point, at in m.points() if m.set_bits is not None else ():
            value = m.set_bits[at].sum() / max(1, m.s.bits[point] * len(at))
            paper = 1 if (name, point) == ("single", 500) else None
            yield row(name, "fill", articles=point, value=value, theory=m.s.fill[point],
                      paper=paper, count=len(at))

def window(run):
    reach, age = np.minimum(LIVES, 1000)[:, None], np.arange(1, 1001)
    weight = np.where(age <= reach, SHARE[:, None] / reach, 0)
    for name, m in run.measured.items():
        asked, hit = m.ages[:, :4].ravel(), m.again[:, :4].ravel()
        expected = (weight * m.s.chance(LIVES)[:, 1:]).sum(axis=0)
        for b in range(100):
            mine, bucket = (asked - 1) // 10 == b, (age - 1) // 10 == b
            if numbers := rate(1, hit[mine]):
                yield row(name, "retention", age=10 * b + 5.5, **numbers,
                          theory=expected[bucket].sum() / weight[:, bucket].sum())
        shown = ~m.again[m.window > 0, 4:]
        if shown.size:
            yield row(name, INSIDE, value=shown.sum(), theory=0, count=shown.size)
        else:
            missed = over_lives(np.minimum(m.s.remembered[0], 100) * (1 - m.s.rate))
            found = {"mean": (m.missed.mean(), missed), "most": (m.missed.max(), 100)}
            for statistic, (value, theory) in found.items():
                yield row(name, "newest missed", statistic=statistic, value=value, theory=theory,
                          count=m.users)

def memory(run):
    for name, m in run.measured.items():
        for point, at in m.points():
            b = m.s.bytes[point]
            yield row(name, "bytes per user", articles=point, value=b, theory=b, count=len(at))
        mean, total, n = over_lives(m.s.bytes), m.s.bytes[m.life].sum(), m.users
        yield row(name, "payload total", users=n, value=total, theory=mean * n, count=n)
        for n in (int(10 ** (i / 2) + 0.5) for i in range(10, 19)):
            yield row(name, "payload total", users=n, formula="exact", theory=mean * n)
    population, chain = Population(run.seed, max(1, run.users // 40)), structures.chain("chain")
    head, full = structures.generations(100, 5, np.arange(20_000))  # of more than the tables have
    chain.window, alive = head + 100 * full, np.zeros((11, len(population.users)), int)
    for user, at, _, _, _, recorded in daily(population, chain, 10, coming_and_going=True):
        late = at % DAY > 0
        alive[1 + at[late] // DAY, user[late]] = recorded[late]
    for day in range(1, 11):
        size = structures.length(812, full[alive[day][alive[day] > 0]] + 1) + 4
        count = len(population.users)
        yield row("chain", "users alive", day=day, value=len(size), count=count)
        yield row("chain", "payload total", day=day, value=size.sum(), count=count)

def extend(run):
    population, (user, helds) = run.population, run.growing
    since = np.array([0, 50, 100, 200, 300, 400, 500, 600])[pick(run.seed, user, -2, 8)]
    life, end = population.life[user], R[-1]

    def changed(name, old, held, w, seen, theory):
        """Rows of a change: by life, old is held, and theory(n) the rate n articles later."""
        rows, line, reach = np.arange(len(user)), user[:, None], w[:, None]
        unseen = CATALOGUE - CANDIDATES + np.arange(CANDIDATES)
        false = seen(population.ids(line, unseen), rows).sum(axis=1)
        for n in np.unique(since):
            yield row(name, "fpr", since=n, theory=over_lives(theory(n)),
                      **rate(CANDIDATES, false[since == n]))
        mean, n = over_lives(old), len(user)
        yield row(name, "articles retained", value=held.mean(), theory=mean, count=n)
        ages = np.hstack([reach, 1 + pick(run.seed, line, -3 - np.arange(1, 20), reach)])
        again = population.ids(line, (life + since)[:, None] - ages)
        shown = ~seen(again, rows)[w > 0]
        yield row(name, INSIDE, value=shown.sum(), theory=0, count=shown.size)

    longer = {"queue": structures.queue(1000), "single": structures.single("single", 8128, 6),
              "dual": structures.dual("dual", 8128, 1000, 600),
              "chain": structures.chain("chain", l=10)}
    for name, s in longer.items():
        m, held = run.measured[name], helds[name]
        old = m.s.window if held.any() else NONE
        yield row(name, "fpr", since=-50, theory=over_lives(m.s.rate), **m.fpr(m.is_end))
        state = s.record(Histories.of(population, user, life - held, held + since))
        w = np.minimum(held + since, s.window[np.maximum(held + since, 1)])
        yield from changed(name, old, held, w, state.seen,
                           lambda n: s.rate[np.minimum(old + n, end)])
    # Array by array: a user is asked of the old filter, or later of the longer one.
    s, was = longer["dual"], run.measured["dual"].s
    begins = np.where(was.window <= 300, 300, 600) - was.window
    own = since - begins[life]
    later = own >= 200
    new = s.record(Histories.of(population, user, life + since - own * later, own * later))
    previous = was.record(Histories.of(population, user, 0 * life, life + since))
    w = np.where(later, np.minimum(own, s.window[np.maximum(own, 1)]),
                 was.window[np.minimum(was.window[life] + since, end)])
    yield from changed(
        "dual, array by array", was.window, was.window[life], w,
        lambda ids, rows: np.where(later[:, None], new.seen(ids, rows), previous.seen(ids, rows)),
        lambda n: np.where(n >= begins + 200, s.rate[np.maximum(n - begins, 0)],
                           was.rate[np.minimum(was.window + n, end)]))

def asked_after(articles, s, users, run):
    """Of each user who was shown so many articles, the unseen candidates reported as seen."""
    user = np.arange(users)
    state = s.record(Histories.of(run.population, user, 0 * user, 0 * user + articles))
    fresh = FRESH + np.arange(CANDIDATES)
    return state.seen(run.population.ids(user[:, None], fresh), user).sum(axis=1)

def table1(run):
    ends = 500 + np.arange(300) + 300 * np.arange(6)[:, None]
    for name, m in run.measured.items():
        s, n, size = m.s, m.users, m.s.bytes[m.life] - m.s.header
        payload, least, at_500 = STATED.get(name, (None, None, None))
        mean = over_lives(s.bytes) - s.header
        yield row(name, "payload per user", value=size.mean(), theory=mean, paper=payload, count=n)
        yield row(name, "header per user", value=s.header, theory=s.header, count=n)
        yield row(name, "payload total", value=size.sum(), theory=mean * n, count=n)
        rates = [({"articles": 500, "paper": at_500}, m.articles == 500, s.rate[500])]
        if s.forgets:
            expected = np.average(s.rate[ends], axis=0, weights=SHARE[ends - 500])
            worst = expected >= 0.999 * expected.max()
            rates.append(({"statistic": "mean"}, m.is_end, over_lives(s.rate)))
            numbers = m.fpr(m.is_end & worst[(m.articles - 500) % 300])
            if s.share == 40:
                numbers = rate(CANDIDATES, asked_after(500 + worst.argmax(), s, m.users, run))
            if numbers:
                yield row(name, "fpr", statistic="worst", theory=expected.max(), **numbers)
        else:
            rates += [({"lifetime": n}, m.articles == n, s.rate[n]) for n in (500, 1000, 2000)]
        for at, moments, theory in rates:
            if numbers := m.fpr(moments):
                yield row(name, "fpr", theory=theory, **numbers, **at)
        windows = {"least": (m.window.min(), s.window[500:1100].min(), least),
                   "mean": (m.window.mean(), over_lives(s.window), None)}
        for statistic, (value, theory, paper) in windows.items():
            yield row(name, "guaranteed window", statistic=statistic, value=value, theory=theory,
                      paper=paper, count=n)
        if name in PAPERS:
            held = run.growing[1][name]
            yield row(name, "articles retained", value=held.mean(), count=len(held))
