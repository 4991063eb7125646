"""The rows of fpr, fill, window, memory, extend and table1 of second/spec/rows.md, by their dimensions."""
from functools import lru_cache

import numpy as np

from daily import passed
from structures import R, STRUCTURES, ask, chain, dual, queue, single
from theory import rate
from workload import FRESH, LIVES, SHARE, over_lives, pick

# The paper's payload and window.
STATED = {"queue": (4000, 500), "single": (500, 500), "dual": (1000, 200), "chain": (500, 400)}
LONGER = {"queue": queue(1000), "single": single("single", 8128, 6),
          "dual": dual("dual", 8128, 1000, 600), "chain": chain("chain", l=10)}

@lru_cache(None)
class Measured:
    """What a structure answered on the full population."""
    def __init__(self, run, name):
        s = self.s = STRUCTURES[name]
        n = self.n = max(1, len(run.users) // s.share)
        user, articles, index = (x[run.moments()[0] < n] for x in run.moments())
        self.articles, self.is_end = articles, articles == run.life[user]
        self.life, i = run.life[:n], np.arange(24)
        line, shown, w = user[:, None], articles[:, None], s.window[articles][:, None]
        reach = np.where((i < 4) | (w == 0), np.minimum(shown, 1000), w)
        ages = 1 + pick(run.seed, line, 8 + i, reach)
        ages[:, 4:6] = np.where(w > 0, np.hstack([w, 0 * w + 1]), ages[:, 4:6])
        fresh = FRESH + 12 * index[:, None] + np.arange(12)
        asked = np.hstack([fresh, shown - ages, shown - np.arange(1, 101)])
        seen, self.set_bits = ask(run, s, user, 0 * articles, articles, asked)
        again, self.fpr = seen[self.is_end, 12:], lambda at: rate(12, seen[at, :12].sum(axis=1))
        self.decade, self.again = (ages[self.is_end, :4] - 1) // 10, again[:, :4]
        self.window = s.window[self.life]
        self.shown, self.missed = ~again[self.window > 0, 4:24], (~again[:, 24:]).sum(axis=1)

def fpr(run, name, _, articles, formula, recorded):
    m = Measured(run, name)
    if recorded:
        held, unseen, false = passed(run, name)
        return rate(unseen[held == articles], false[held == articles])
    if formula:
        return {"theory": {"exact": m.s.rate, "asymptotic": m.s.asymptotic}[formula][articles]}
    paper = 0.0156 if (name, articles) == ("single", 500) else None
    return {"theory": m.s.rate[articles], "paper": paper, **m.fpr(m.articles == articles)}

def fill(run, name, _, articles):
    m = Measured(run, name)
    at, bits = m.articles == articles, sum(part.m * part.used for part in m.s.parts) + 0 * R
    value = m.set_bits[at].sum() / max(1, bits[articles] * at.sum())
    return {"value": value, "theory": m.s.fill[articles], "count": at.sum(),
            "paper": 1 if (name, articles) == ("single", 500) else None}

@lru_cache(None)
def retention(name):
    """Theory of retention, by ten ages."""
    s, age, reach = STRUCTURES[name], np.arange(1, 1001), np.minimum(LIVES, 1000)[:, None]
    above, most = (ages[LIVES, None] for ages in s.certain)
    chance = np.where((age > above) & (age <= most), 1, s.rate[LIVES, None])
    weight = np.where(age <= reach, SHARE[:, None] / reach, 0)
    return np.divide(*(x.reshape(-1, 100, 10).sum(axis=(0, 2)) for x in (weight * chance, weight)))

def window(run, name, quantity, age, statistic):
    m = Measured(run, name)
    if quantity == "retention":
        b = int(age) // 10
        return {"theory": retention(name)[b], **rate(1, m.again[m.decade == b])}
    mean = over_lives(np.minimum(m.s.certain[0], 100) * (1 - m.s.rate))
    value, theory, count = {"mean": (m.missed.mean(), mean, m.n),
                            "most": (m.missed.max(), 100, m.n),
                            None: (m.shown.sum(), 0, m.shown.size)}[statistic]
    return {"value": value, "theory": theory, "count": count}

def memory(run, name, quantity, articles, users):
    m = Measured(run, name)
    if users:
        return {"theory": over_lives(m.s.bytes) * users, "value": m.s.bytes[m.life[:users]].sum(), "count": users}
    size, count = m.s.bytes[articles], (m.articles == articles).sum()
    return {"value": size, "theory": size, "count": count}

@lru_cache(None)
class Grown:
    """extend: what an old structure and a longer one answer after growth."""
    def __init__(self, run, name):
        base, *by_array = name.split(", ")
        self.old, self.s, h = STRUCTURES[base], LONGER[base], STRUCTURES[base].window
        self.held = h * (base in ("queue", "chain") or len(by_array))
        # What the longer one has of it; below 0 it begins later. It answers from least on.
        self.has = h - np.where(h <= 300, 300, 600) if by_array else self.held
        self.least = 200 * len(by_array)
        self.user = user = np.nonzero(pick(run.seed, run.users, -1, 20) == 0)[0]
        since = np.array([0, 50, 100, 200, 300, 400, 500, 600])[pick(run.seed, user, -2, 8)]
        self.since, life, end = since, run.life[user], run.life[user] + since
        own = self.has[life] + since
        later, own = own >= self.least, own * (own >= self.least)
        window = h.take(h[life] + since, mode="clip")
        w = np.where(later, np.minimum(own, self.s.window[np.maximum(own, 1)]), window)[:, None]
        ages = np.hstack([w, 1 + pick(run.seed, user[:, None], -3 - np.arange(1, 20), w)])
        asked = np.hstack([0 * w + 2**26 - 12 + np.arange(12), end[:, None] - ages])
        seen = np.where(later[:, None], ask(run, self.s, user, end - own, own, asked)[0],
                        ask(run, self.old, user, 0 * end, end, asked)[0])
        self.false, self.shown = seen[:, :12].sum(axis=1), ~seen[w[:, 0] > 0, 12:]

def extend(run, name, quantity, since):
    g = Grown(run, name)
    if quantity == "articles retained":
        value = g.held[run.life[g.user]].mean()
        return {"value": value, "theory": over_lives(g.held), "count": len(g.user)}
    if quantity == "repeats shown inside the window":
        return {"value": g.shown.sum(), "theory": 0, "count": g.shown.size}
    n, old = g.has + since, g.old.rate.take(g.old.window + since, mode="clip")
    theory = np.where(n >= g.least, g.s.rate[np.maximum(n, 0)], old)
    return {"theory": over_lives(theory), **rate(12, g.false[g.since == since])}

def table1(run, name, quantity, statistic):
    m = Measured(run, name)
    s, size = m.s, m.s.bytes - m.s.header
    payload, least = STATED.get(name, (None, None))
    if quantity == "fpr" and statistic == "worst":
        return worst(run, m)
    if quantity == "fpr":
        return {"theory": over_lives(s.rate), **m.fpr(m.is_end)}
    value, theory, paper = {
        ("payload per user", None): (size[m.life].mean(), over_lives(size), payload),
        ("header per user", None): (s.header, s.header, None),
        ("payload total", None): (size[m.life].sum(), over_lives(size) * m.n, None),
        ("guaranteed window", "least"): (m.window.min(), s.window[500:1100].min(), least),
        ("guaranteed window", "mean"): (m.window.mean(), over_lives(s.window), None),
    }[quantity, statistic]
    return {"value": value, "theory": theory, "paper": paper, "count": m.n}

def worst(run, m):
    """table1's rate at the moment whose expected rate is the highest."""
    ends = 500 + np.arange(300) + 300 * np.arange(6)[:, None]
    expected = np.average(m.s.rate[ends], axis=0, weights=SHARE[ends - 500])
    highest = expected >= 0.999 * expected.max()
    if m.s.share == 40 or m.s.name in ("dual", "chain"):
        user = run.users[:max(1, len(run.users) // 40)]
        articles, fresh = 0 * user + 500 + highest.argmax(), FRESH + np.arange(12)
        numbers = rate(12, ask(run, m.s, user, 0 * user, articles, fresh)[0].sum(axis=1))
    else:
        numbers = m.fpr(m.is_end & highest[(m.articles - 500) % 300])
    return {"theory": expected.max(), **numbers}
