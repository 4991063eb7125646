"""The experiments fpr, fill, window, memory, extend and table1 of docs/rows.md. Each yields its rows."""
from functools import cached_property

import numpy as np

import structures
from hashing import pick
from rows import rate, row
from structures import NONE, R
from workload import CANDIDATES, CATALOGUE, DAY, FRESH, GRID, LIVES, SHARE, Histories, Population, daily, over_lives

PAPERS = ("queue", "single", "dual", "chain")
INSIDE = "repeats shown inside the window"


class Measured:
    """What one structure answered on the full population."""

    def __init__(self, structure, population):
        self.s, self.users = structure, max(1, len(population.users) // structure.share)
        user, articles, index = (column[population.moments()[0] < self.users] for column in population.moments())
        everyone, life = np.arange(self.users), population.life[:self.users]
        whole = Histories.of(population, everyone, 0 * life, life)
        state = structure.record(Histories(whole.ids, whole.begin[user], articles))
        fresh = FRESH + CANDIDATES * index[:, None] + np.arange(CANDIDATES)
        self.false = state.seen(population.ids(user[:, None], fresh), np.arange(len(user))).sum(axis=1)
        self.set_bits = state.set_bits() if structure.fill is not None else None
        self.user, self.articles, self.life, self.window = user, articles, life, structure.window[life]
        self.end = np.nonzero(articles == life[user])[0]
        person, w, i = everyone[:, None], self.window[:, None], np.arange(24)
        reach = np.where((i < 4) | (w == 0), np.minimum(life, 1000)[:, None], w)
        self.ages = 1 + pick(population.seed, person, 8 + i, reach)
        self.ages[:, 4:6] = np.where(w > 0, np.hstack([w, w * 0 + 1]), self.ages[:, 4:6])
        self.again = state.seen(population.ids(person, life[:, None] - self.ages), self.end)
        newest = population.ids(person, life[:, None] - np.arange(1, 101))
        self.missed = (~state.seen(newest, self.end)).sum(axis=1)

    def points(self):
        at = {int(point): np.nonzero(self.articles == point)[0] for point in GRID}
        return [(point, moments) for point, moments in at.items() if len(moments)]

    def fpr(self, at):
        return rate(CANDIDATES, self.false[at])


class Run:
    """A run of so many users and a seed: what several experiments ask for, made once."""

    def __init__(self, users, seed):
        self.users, self.seed, self.population = users, seed, Population(seed, users)

    @cached_property
    def measured(self):
        return {s.name: Measured(s, self.population) for s in structures.all_structures()}

    @cached_property
    def growing(self):
        """extend: the users who take part, how many articles later each is asked, and what the paper's four hold."""
        user = np.nonzero(pick(self.seed, self.population.users, -1, 20) == 0)[0]
        since = np.array([0, 50, 100, 200, 300, 400, 500, 600])[pick(self.seed, user, -2, 8)]
        return user, since, {n: self.measured[n].window[user] * (n in ("queue", "chain")) for n in PAPERS}


def fpr(run):
    def line(name, theory, numbers, **at):
        return row("fpr", name, "fpr", "ratio", at, theory=theory, **numbers)
    for name, m in run.measured.items():
        paper = {"single": 0.0156}.get(name, None if "/" in name else 0)
        for point, at in m.points():
            yield line(name, m.s.rate[point], dict(m.fpr(at), paper=paper), articles=point)
        for formula, table in (("exact", m.s.rate), ("asymptotic", m.s.asymptotic)):
            for n in {*range(0, 2001, 10), *range(101, 2000, 100)} if table is not None else ():
                yield line(name, table[n], {}, articles=n, formula=formula)
        if name in PAPERS:
            users = run.users // 100 if run.users > 2_000_000 else min(run.users, 20_000)
            steps = zip(*daily(Population(run.seed, users), m.s, 30, most=1000))
            _, _, held, unseen, false, _ = (np.concatenate(column) for column in steps)
            for n in range(0, 1001, 50):
                if numbers := rate(unseen[held == n], false[held == n]):
                    yield line(name, None, numbers, articles=n, recorded="passed")


def fill(run):
    for name, m in run.measured.items():
        for point, at in m.points() if m.set_bits else ():
            set_bits, bits = (int(column[at].sum()) for column in m.set_bits)
            paper = 1 if (name, point) == ("single", 500) else None
            yield row("fill", name, "fill", "ratio", {"articles": point}, value=set_bits / max(1, bits),
                      theory=m.s.fill[point], paper=paper, count=len(at))


def window(run):
    reach, age = np.minimum(LIVES, 1000)[:, None], np.arange(1, 1001)
    weight = np.where(age <= reach, SHARE[:, None] / reach, 0)
    for name, m in run.measured.items():
        asked, hit, chance = m.ages[:, :4].ravel(), m.again[:, :4].ravel(), m.s.chance(LIVES)[:, 1:]
        for b in range(100):
            mine, bucket = (asked - 1) // 10 == b, (age - 1) // 10 == b
            theory = np.sum((weight * chance)[:, bucket]) / weight[:, bucket].sum() if mine.any() else 0
            if numbers := rate(1, hit[mine]):
                yield row("window", name, "retention", "ratio", {"age": 10 * b + 5.5}, theory=theory, **numbers)
        shown = ~m.again[m.window > 0, 4:]
        if shown.size:
            yield row("window", name, INSIDE, value=shown.sum(), theory=0, count=shown.size)
        else:
            missed = over_lives(np.minimum(m.s.remembers[0], 100) * (1 - m.s.rate))
            for statistic, value, theory in (("mean", m.missed.mean(), missed), ("most", m.missed.max(), 100)):
                yield row("window", name, "newest missed", "", {"statistic": statistic}, value=value, theory=theory,
                          count=m.users)


def memory(run):
    def line(name, quantity, unit, at, **numbers):
        return row("memory", name, quantity, unit, at, **numbers)
    for name, m in run.measured.items():
        size, mean = m.s.bytes[m.life], over_lives(m.s.bytes)
        for point, at in m.points():
            b = m.s.bytes[point]
            yield line(name, "bytes per user", "B", {"articles": point}, value=b, theory=b, count=len(at))
        for n in {m.users, *(10**i for i in range(5, 10) if 10**i < m.users)}:
            paper = {"queue": 40e9, "single": 5e9}.get(name) if n == 10_000_000 else None
            total = size[:n].sum()
            yield line(name, "payload total", "B", {"users": n}, value=total, theory=mean * n, paper=paper, count=n)
        for n in (int(10 ** (i / 2) + 0.5) for i in range(10, 19)):
            yield line(name, "payload total", "B", {"users": n, "formula": "exact"}, theory=mean * n)
    population, chain = Population(run.seed, max(1, run.users // 40)), structures.chain("chain")
    _, head, full = structures.links(812, 6, 100, 5, r=np.arange(20_000))
    chain.window = head + 100 * full  # of users who are shown more than the tables have
    held = np.zeros((11, len(population.users)), int)
    for user, at, _, _, _, recorded in daily(population, chain, 10, coming_and_going=True):
        late = at % DAY > 0
        held[1 + at[late] // DAY, user[late]] = recorded[late]
    for day in range(1, 11):
        size = structures.length(812, full[held[day][held[day] > 0]] + 1) + 4
        for quantity, unit, value in (("users alive", "", len(size)), ("payload total", "B", size.sum())):
            yield line("chain", quantity, unit, {"day": day}, value=value, count=len(population.users))


def extend(run):
    population, (user, since, helds) = run.population, run.growing
    longer = {"queue": structures.queue(1000), "single": structures.single("single", 8128, 6),
              "dual": structures.dual("dual", 8128, 1000, 600), "chain": structures.chain("chain", l=10)}
    for name, s in longer.items():
        m, held, life = run.measured[name], helds[name], population.life[user]
        old = m.s.window if held.any() else NONE
        yield row("extend", name, "fpr", "ratio", {"since": -50}, theory=over_lives(m.s.rate), **m.fpr(m.end))
        state = s.record(Histories.of(population, user, life - held, held + since))
        w = np.minimum(held + since, s.window[np.maximum(held + since, 1)])
        yield from changed(run, name, old, held, w, state.seen, lambda n: s.rate[np.minimum(old + n, R[-1])])
    # Array by array: a user is asked of the old filter or of the longer one.
    s, was, life = longer["dual"], run.measured["dual"].s, population.life[user]
    begins = np.where(was.window <= 300, 300 - was.window, 600 - was.window)
    later, own = since >= begins[life] + 200, since - begins[life]
    new = s.record(Histories.of(population, user, life + since - own * later, own * later))
    previous = was.record(Histories.of(population, user, 0 * life, life + since))

    def seen(ids, rows):
        return np.where(later[:, None], new.seen(ids, rows), previous.seen(ids, rows))

    def theory(n):
        answers = n >= begins + 200
        return np.where(answers, s.rate[np.maximum(n - begins, 0)], was.rate[np.minimum(was.window + n, R[-1])])
    known = np.minimum(own, s.window[np.maximum(own, 1)])
    w = np.where(later, known, was.window[np.minimum(was.window[life] + since, R[-1])])
    yield from changed(run, "dual, array by array", was.window, was.window[life], w, seen, theory)


def changed(run, name, old, held, w, seen, theory):
    """The rows of a change: old is held by life, theory(n) the rate n articles later by life, and w the windows."""
    population, (user, since, _) = run.population, run.growing
    everyone, person, w = np.arange(len(user)), user[:, None], w[:, None]
    false = seen(population.ids(person, CATALOGUE - CANDIDATES + np.arange(CANDIDATES)), everyone).sum(axis=1)
    for n in np.unique(since):
        yield row("extend", name, "fpr", "ratio", {"since": n}, theory=over_lives(theory(n)),
                  **rate(CANDIDATES, false[since == n]))
    yield row("extend", name, "articles retained", value=held.mean(), theory=over_lives(old), count=len(user))
    ages = np.hstack([w, 1 + pick(run.seed, person, -3 - np.arange(1, 20), w)])
    shown = ~seen(population.ids(person, (population.life[user] + since)[:, None] - ages), everyone)[w[:, 0] > 0]
    yield row("extend", name, INSIDE, value=shown.sum(), theory=0, count=shown.size)


def table1(run):
    stated = {"queue": (4000, 500, 40e9, None), "single": (500, 500, 5e9, 0.0156), "dual": (1000, 200, None, None),
              "chain": (500, 400, None, None)}
    for name, m in run.measured.items():
        def line(quantity, unit, at=None, count=m.users, **numbers):
            return row("table1", name, quantity, unit, at, **{"count": count, **numbers})
        s, (payload, least, total, at_500) = m.s, stated.get(name, (None,) * 4)
        total = total if m.users == 10_000_000 else None
        size, mean = s.bytes[m.life] - s.header, over_lives(s.bytes) - s.header
        yield line("payload per user", "B", value=size.mean(), theory=mean, paper=payload)
        yield line("header per user", "B", value=s.header, theory=s.header)
        yield line("payload total", "B", value=size.sum(), theory=mean * m.users, paper=total)
        rates = [({"articles": 500}, m.articles == 500, s.rate[500], at_500)]
        if s.forgets:
            ends = 500 + np.arange(300) + 300 * np.arange(6)[:, None]
            expected = np.average(s.rate[ends], axis=0, weights=SHARE[ends - 500])
            worst = expected[(m.articles - 500) % 300] >= 0.999 * expected.max()
            is_end = m.articles == m.life[m.user]
            rates += [({"statistic": "worst"}, is_end & worst, expected.max(), None),
                      ({"statistic": "mean"}, is_end, over_lives(s.rate), None)]
        else:
            rates += [({"lifetime": n}, m.articles == n, s.rate[n], None) for n in (500, 1000, 2000)]
        for at, moments, theory, paper in rates:
            if numbers := m.fpr(moments):
                yield line("fpr", "ratio", at, theory=theory, paper=paper, **numbers)
        for statistic, value, theory, paper in (("least", m.window.min(), s.window[500:1100].min(), least),
                                                ("mean", m.window.mean(), over_lives(s.window), None)):
            yield line("guaranteed window", "", {"statistic": statistic}, value=value, theory=theory, paper=paper)
        if name in PAPERS:
            held = run.growing[2][name]
            yield line("articles retained", "", value=held.mean(), count=len(held))
