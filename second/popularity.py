"""The experiment popularity of docs/rows.md: articles that all users share, drawn by rank."""
import hashlib
from functools import lru_cache

import numpy as np

from structures import STRUCTURES, answers
from theory import rate
from workload import ARTICLES, G, POPULAR, draw as drawn, hi, key, mix, positions, stream, u64

SHOWN, ORDERED = 500, 600
STEPS = 100_000  # of theory by article: a rate is so many steps of 1e-5
DRAWS = {"least": min, "mean": np.mean, "most": max}

def salted(seed, user, x):
    """The IDs x under the salts of the users; both broadcast."""
    digest = hashlib.sha256(f"the salts of seed {seed}".encode()).digest()
    k0, k1 = np.frombuffer(digest, "<u8", 2)[:, None]
    def fold(x, y):
        return hi(x, y) ^ (x * y)
    b = fold(u64(user) ^ k0, k1 | 1)
    return mix(x ^ b, fold(b ^ k1, k0 | 1))

@lru_cache(None)
class Market:
    """A market, what every user is shown of it, and the measured articles."""
    def __init__(self, seed, users, n, exponent):
        weight = np.floor(2.0**32 * np.arange(1.0, n + 1) ** -exponent + 0.5)
        self.share, self.ends = weight / weight.sum(), np.cumsum(u64(weight))
        self.ids = drawn(key(seed, 0, ARTICLES) + u64(np.arange(1, n + 1)) * G)
        self.order = np.array([self.draws(at) for at in key(seed, np.arange(users), POPULAR)])
        every = max(1, n // 5000)
        unshown = np.ones((users, -(-n // every)), bool)
        user, i = np.nonzero(self.order[:, :SHOWN] % every == 0)
        unshown[user, self.order[user, i] // every] = False
        kept = 2 * unshown.sum(axis=0) >= users
        self.measured, self.unshown = np.nonzero(kept)[0] * every, unshown[:, kept]
        self.w = self.unshown.sum(axis=0)

    def draws(self, start, most=3 * ORDERED):
        """The order of the user whose stream starts there."""
        u = stream(start, np.arange(1, most + 1))
        order = np.searchsorted(self.ends, hi(u, self.ends[-1:]), "right")
        order = list(dict.fromkeys(order.tolist()))[:ORDERED]
        return order if len(order) == ORDERED else self.draws(start, 2 * most)

    def chances(self, n):
        """Theory by article: chances(n), by Newton's method, which rises to its t."""
        t, step = float(n), 1.0
        while n and step > 1e-13 * t:
            missed = np.exp(-t * self.share)
            step = (n - (1 - missed).sum()) / (self.share * missed).sum()
            t += step
        return -np.expm1(-t * self.share)

    def rates(self, links):
        """Theory by article: the rate of each measured article, without a salt."""
        places, missed = np.array(positions(mix(self.ids), links.m, links.k)), 1
        once = np.array([~np.any(places[:i] == p, axis=0) for i, p in enumerate(places)])
        ends = np.linspace(0, SHOWN, len(links.first) + 1)
        for begin, end in zip(ends, ends[1:]):
            p = self.chances(end) - self.chances(begin)
            log = np.log1p(-np.minimum(p, 1 - 1e-12))
            unset = np.bincount(places.ravel(), (once * log).ravel(), links.m)
            of_others = unset[places[:, self.measured]] - log[self.measured]
            is_set = -np.expm1(np.minimum(0, of_others))
            missed = missed * (1 - np.where(once[:, self.measured], is_set, 1).prod(axis=0))
        return 1 - missed

@lru_cache(None)
class Answers:
    """What a structure reports of a market, and theory by article where there is one."""
    def __init__(self, seed, market, name, salt):
        s, w, hits, self.false = STRUCTURES[name], market.w, 0, []
        for user in np.array_split(np.arange(len(market.order)), 1 + len(market.order) // 50):
            order, measured = market.ids[market.order[user]], market.ids[market.measured][None]
            if salt == "user":
                order, measured = (salted(seed, user[:, None], ids) for ids in (order, measured))
            history = mix(order[:, :SHOWN]).ravel(), np.full(len(user), SHOWN)
            self.false.extend(answers(s, *history, order[:, SHOWN:])[0])
            reported = answers(s, *history, measured)[0]
            hits = hits + (reported & market.unshown[user]).sum(axis=0)
        self.rates, self.expected = hits / w, None
        if salt == "user":
            self.expected = np.full(len(w), s.rate[SHOWN])
        elif name in ("single", "chain"):
            self.expected = market.rates(s.parts[0])
        self.mean, self.losing, self.highest = measured_rates(self.expected, w)

def measured_rates(p, w):
    """Theory by article, of rates p, asked of w users: mean, share losing a tenth, the highest."""
    if p is None:
        return None, None, [None] * len(w)
    mean, ranks = p.mean(), np.arange(1, len(p) + 1)
    (p, w), alike = np.unique([p, w], axis=1, return_counts=True)
    reach = np.floor(4 * w.max() ** 0.5)  # chances beyond it are below 1e-13
    h = np.floor((w + 1) * p)[:, None] + np.arange(-reach, reach + 1)
    line, column = np.nonzero((h >= 0) & (h <= w[:, None]))
    h, p, w, alike = h[line, column].astype(int), p[line], w[line].astype(int), alike[line]
    factorial = np.append(0, np.cumsum(np.log(np.arange(1, w.max() + 1))))
    log = factorial[w] - factorial[h] - factorial[w - h]
    log += h * np.log(np.maximum(p, 1e-300)) + (w - h) * np.log1p(-p)
    chance = np.where(log < np.log(1e-12), 0, np.exp(log) * alike)
    step = np.floor(h / w / 1e-5 + 0.5).astype(int)
    from_top = np.cumsum(np.bincount(step, chance, STEPS + 1)[::-1])
    highest = (STEPS - np.searchsorted(from_top, ranks - 1 / 3)) * 1e-5
    return mean, from_top[STEPS - 10_000] / len(ranks), highest

def spread(f, w):
    """The standard deviation of the rates beyond chance, and its interval."""
    n, c = len(f), f * (1 - f) / np.maximum(w - 1, 1)
    d = (f - f.mean()) ** 2 * n / max(n - 1, 1)
    g = 1.959964 * max(0, (c * (4 * d - 2 * c)).sum()) ** 0.5
    low, value, high = ((max(0, (d - c).sum() + end) / n) ** 0.5 for end in (-g, 0, g))
    return {"value": value, "low": low, "high": high}

def popularity(run, name, quantity, exponent, catalogue, salt, statistic, share, draw):
    if draw in DRAWS:
        lines = [popularity(run, name, quantity, exponent, catalogue, salt, statistic, share, i)
                 for i in range(20)]
        numbers = {c: [line[c] for line in lines] for c in ("value", "theory")}
        return {"count": 20, **{c: DRAWS[draw](of) for c, of in numbers.items()}}
    seed = (run.seed + (draw or 0) * G) % 2**64
    market = Market(seed, min(2000, len(run.users)), catalogue, exponent)
    n, w = len(market.measured), market.w
    if not name:
        unshown = w.min() if statistic == "least" else w.mean()
        values = {"users": len(market.order), "articles": n, "unshown users": unshown}
        return {"value": values[quantity]}
    a = Answers(run.seed, market, name, salt)
    if quantity == "fpr":
        group = (market.ids[market.order[:, SHOWN:]] * G >> 52).astype(int).ravel()
        groups = np.array([np.bincount(group), np.bincount(group, np.ravel(a.false))])
        numbers = rate(100, np.sum(a.false, axis=1), groups[:, groups[0] > 0])
        return {"theory": STRUCTURES[name].rate[SHOWN], **numbers}
    if statistic == "spread":
        return {"theory": 0 if salt == "user" else None, "count": n, **spread(a.rates, w)}
    if quantity == "correlation":
        value, theory = round(np.corrcoef(a.rates, a.expected)[0, 1], 4), None
    elif quantity == "articles losing a tenth":
        value, theory = np.mean(a.rates >= 0.1), a.losing
    elif statistic == "mean":
        value, theory = a.rates.mean(), a.mean
    else:
        ranks = {"p90": (n + 9) // 10, "p99": (n + 99) // 100, "worst": 1}
        k = ranks.get(statistic) or round(share * n)
        value, theory = np.sort(a.rates)[-k], a.highest[k - 1]
    return {"value": value, "theory": theory, "count": n}
