"""The experiment popularity of docs/rows.md: articles that all users share, drawn by rank."""
import hashlib

import numpy as np

import structures
from rows import rate, row
from workload import (A, ARTICLES, B, G, POPULAR, Histories, draw, hi, key, mix, positions, stream,
                      u64)

SHOWN, ORDERED = 500, 600
STEPS = 100_000  # of theory by article: a rate is so many steps of 1e-5

def salted(seed, user, x):
    """The IDs x under the salts of the users; both broadcast."""
    digest = hashlib.sha256(f"the salts of seed {seed}".encode()).digest()
    k0, k1 = np.frombuffer(digest, "<u8", 2)[:, None]

    def fold(x, y):
        return hi(x, y) ^ (x * y)
    b = fold(u64(user) ^ k0, k1 | 1)
    c = fold(b ^ k1, k0 | 1)
    x = x ^ b
    x = (x ^ (x >> 32)) * A
    x = (x ^ (x >> 29) ^ c) * B
    return x ^ (x >> 32)

class Market:
    """A market, what every user is shown of it, and the measured articles."""

    def __init__(self, seed, users, n, exponent):
        self.n, self.exponent, self.user = n, exponent, np.arange(users)
        weight = np.floor(2.0**32 * np.arange(1.0, n + 1) ** -exponent + 0.5)
        self.share, self.ends = weight / weight.sum(), np.cumsum(u64(weight))
        self.ids = draw(key(seed, 0, ARTICLES) + u64(np.arange(1, n + 1)) * G)
        start = key(seed, self.user, POPULAR)
        self.order = np.array([self.draws(at) for at in start])
        every = max(1, n // 5000)
        unshown = np.ones((users, -(-n // every)), bool)
        user, i = np.nonzero(self.order[:, :SHOWN] % every == 0)
        unshown[user, self.order[user, i] // every] = False
        kept = 2 * unshown.sum(axis=0) >= users
        self.measured, self.new = np.nonzero(kept)[0] * every, unshown[:, kept]
        self.unshown = self.new.sum(axis=0)

    def draws(self, start, most=3 * ORDERED):
        """The order of the user whose stream starts there."""
        u = stream(start, np.arange(1, most + 1))
        found = np.searchsorted(self.ends, hi(u, self.ends[-1:]), "right")
        first = np.unique(found, return_index=True)[1]
        if len(first) < ORDERED:
            return self.draws(start, 2 * most)
        return found[np.sort(first)[:ORDERED]]

    def ask(self, structure, seed, salt):
        """Hits of each user's candidates, and of each measured article where it was not shown."""
        def ids_of(user, articles):
            return salted(seed, user[:, None], self.ids[articles]) if salt else self.ids[articles]
        user, hits = self.user, 0
        shown = ids_of(user, self.order[:, :SHOWN]).ravel()
        state = structure.record(Histories(shown, SHOWN * user, np.full_like(user, SHOWN)))
        for some in np.array_split(user, 1 + len(user) // 8):
            reported = state.seen(ids_of(some, self.measured[None, :]), some)
            hits = hits + (reported & self.new[some]).sum(axis=0)
        return state.seen(ids_of(user, self.order[:, SHOWN:]), user), hits

    def chances(self, n):
        """Theory by article: chances(n), by Newton's method, which rises to its t."""
        t, step = float(n), 1.0
        while n and step > 1e-13 * t:
            missed = np.exp(-t * self.share)
            step = (n - (1 - missed).sum()) / (self.share * missed).sum()
            t += step
        return -np.expm1(-t * self.share)

    def rates(self, m, k, links, size):
        """Theory by article: the rate of each measured article, without a salt."""
        places, missed = np.array(positions(mix(self.ids), m, k)), 1
        once = np.array([~np.any(places[:i] == p, axis=0) for i, p in enumerate(places)])
        for j in range(links):
            p = self.chances((j + 1) * size) - self.chances(j * size)
            log = np.log1p(-np.minimum(p, 1 - 1e-12))
            unset = np.bincount(places.ravel(), (once * log).ravel(), m)
            of_others = unset[places[:, self.measured]] - log[self.measured]
            is_set = -np.expm1(np.minimum(0, of_others))
            missed = missed * (1 - np.where(once[:, self.measured], is_set, 1).prod(axis=0))
        return 1 - missed

class Expected:
    """Theory by article: the expected number of articles by the measured rate."""

    def __init__(self, p, w):
        """Of articles with the rates p, each asked of w users."""
        self.mean, self.articles = p.mean(), len(p)
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
        self.from_top = np.cumsum(np.bincount(step, chance, STEPS + 1)[::-1])

    def highest(self, k):
        return (STEPS - np.searchsorted(self.from_top, k - 1 / 3)) * 1e-5

    def losing(self):
        return self.from_top[STEPS - 10_000] / self.articles

def theory(market, s, salt):
    """Theory by article, and the rates of each; without a salt single and chain alone have them."""
    links, w = s.slots[0], market.unshown
    if salt:
        return Expected(np.full(len(w), s.rate[SHOWN]), w), None
    if s.name not in ("single", "chain"):
        return None, None
    rates = market.rates(s.parts[0].m, s.parts[0].k, links, SHOWN // links)
    return Expected(rates, w), rates

def popularity(run):
    users, every = min(2000, run.users), structures.every_structure()
    some = [s for s in every if s.name in ("single", "chain")]
    kinds = [(5000, 1, every), *((5000, a, some) for a in (0.6, 0.8, 1.2)), (50_000, 1, some),
             (1_000_000, 1, some)]
    for n, exponent, asked in kinds:
        market = Market(run.seed, users, n, exponent)
        yield from of_market(run.seed, market, asked, by_share=asked is every)
    single, lines = some[0], []
    for number in range(20):
        market = Market((run.seed + number * G) % 2**64, users, 5000, 1)
        found = np.sort(market.ask(single, run.seed, False)[1] / market.unshown)[::-1]
        expected, n = theory(market, single, False)[0], len(found)
        for statistic, k in (("p99", (n + 99) // 100), ("worst", 1)):
            lines.append((number, statistic, found[k - 1], expected.highest(k), n))
    for statistic in ("p99", "worst"):
        mine = [line for line in lines if line[1] == statistic]
        _, _, values, theories, _ = zip(*mine)
        for draw_of, of in (("least", min), ("mean", np.mean), ("most", max)):
            mine.append((draw_of, statistic, of(values), of(theories), 20))
        for number, _, value, expected, n in mine:
            yield row("single", "fpr by article", exponent=1, catalogue=5000, salt="none",
                      statistic=statistic, draw=number, value=value, theory=expected, count=n)

def spread(f, w):
    """The standard deviation of the rates beyond chance, between the ends of its interval."""
    n = len(f)
    c = f * (1 - f) / np.maximum(w - 1, 1)
    d = (f - f.mean()) ** 2 * n / max(n - 1, 1)
    g = 1.959964 * max(0, (c * (4 * d - 2 * c)).sum()) ** 0.5
    return (max(0, (d - c).sum() + end) ** 0.5 / n**0.5 for end in (-g, 0, g))

def of_market(seed, market, asked, by_share):
    def line(strategy, quantity, **cells):
        return row(strategy, quantity, exponent=market.exponent, catalogue=market.n, **cells)
    n, w = len(market.measured), market.unshown
    yield line("", "users", value=len(market.user))
    yield line("", "articles", value=n)
    yield line("", "unshown users", statistic="least", value=w.min())
    yield line("", "unshown users", statistic="mean", value=w.mean())
    highest = {"p90": (n + 9) // 10, "p99": (n + 99) // 100, "worst": 1}
    ranks, k = [({"statistic": name}, k) for name, k in highest.items()], 1
    while by_share and k < n:
        ranks.append(({"share": k / n}, k))
        k += 1 + k // 5
    ranks += [({"share": 1}, n)] * by_share
    group = (market.ids[market.order[:, SHOWN:]] * G >> 52).astype(int)
    for s, salt in ((s, salt) for s in asked for salt in ("none", "user")):
        hits, by_article = market.ask(s, seed, salt == "user")
        expected, rates = theory(market, s, salt == "user")
        found = by_article / w
        groups = np.array([np.bincount(group.ravel()), np.bincount(group.ravel(), hits.ravel())])
        numbers = rate(hits.shape[1], hits.sum(axis=1), groups[:, groups[0] > 0])
        yield line(s.name, "fpr", salt=salt, theory=s.rate[SHOWN], **numbers)
        yield line(s.name, "fpr by article", salt=salt, statistic="mean", value=found.mean(),
                   theory=expected and expected.mean, count=n)
        low, value, high = spread(found, w)
        yield line(s.name, "fpr by article", salt=salt, statistic="spread", value=value, low=low,
                   high=high, theory=0 if salt == "user" else None, count=n)
        ordered = np.sort(found)[::-1]
        for which, k in ranks:
            yield line(s.name, "fpr by article", salt=salt, value=ordered[k - 1],
                       theory=expected and expected.highest(k), count=n, **which)
        yield line(s.name, "articles losing a tenth", salt=salt, value=np.mean(found >= 0.1),
                   theory=expected and expected.losing(), count=n)
        if rates is not None and found.std() > 0 and rates.std() > 0:
            correlation = round(np.corrcoef(found, rates)[0, 1], 4)
            yield line(s.name, "correlation", salt=salt, value=correlation, count=n)
