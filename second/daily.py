"""The daily population of second/spec/workload.md, a refresh of every user at a time."""
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from structures import STRUCTURES
from workload import LOW, VISITS, Population, below, key, mix, positions, ranges, stream, u64

DAY, RECALLED, SHOWN = 86400, 16, 10
E = u64(np.floor(-np.log1p(-np.minimum(np.arange(1025), 1023) / 1024) * 65536 + 0.5))

def in_tables(r):
    """So many articles recorded for which the tables of a chain have the same as for r."""
    return np.minimum(r, 2300 + r % 100)

class Ring:
    """One of the paper's structures of every user.

    It has, for each link and bit, the number of the article that last set the bit: it is set if
    that article is within the window. The queue has bits, too, one for each article number.
    """
    def __init__(self, run, s):
        self.run, self.s, self.links = run, s, s.parts[0].first.shape[0]
        self.bits = 8192 if s.name == "queue" else s.parts[0].m
        self.set_by = np.full((len(run.users), self.links, self.bits), -1, np.int32)

    def places(self, user, articles):
        if self.s.name == "queue":
            return articles[:, :, None]
        mixed = mix(self.run.ids(user[:, None], articles))
        return np.stack(positions(mixed, self.bits, self.s.parts[0].k), axis=2)

    def reported(self, user, places, held):
        """Which are, where held articles were recorded."""
        window = self.s.window[in_tables(held)]
        entries = self.set_by[user[:, None, None], :, places]
        return (entries >= (held - window)[:, None, None, None]).all(axis=2).any(axis=2)

    def record(self, user, places, number):
        """Of an entry set more than once the last article remains."""
        link = number // 100 % self.links
        self.set_by[user[:, None], link[:, None], places] = number[:, None]

class Visits:
    """When users come, what they are recalled, and what they were shown."""
    def __init__(self, run):
        self.start, n = key(run.seed, run.users, VISITS), len(run.users)
        self.taken, self.fresh, self.shown = *np.zeros((2, n), int), np.zeros((n, 1100), int)
        z = np.array([NormalDist().inv_cdf((c + 0.5) / 1024) for c in range(1024)])
        gap = DAY / (0.4 * np.exp(1.1 * z[below(self.next(run.users), 1024)]))
        self.gap = u64(np.floor(np.clip(gap, 60, 2**26) + 0.5))
        self.at = self.exponential(run.users, self.gap)

    def next(self, user):
        """The next number of each user's stream."""
        self.taken[user] += 1
        return stream(self.start[user], self.taken[user])

    def exponential(self, user, mean):
        """Draws again whose number is in the last cell."""
        x, more = u64(0 * user), np.arange(len(user))
        while len(more):
            u = self.next(user[more])
            cell = (u >> 54).astype(int)
            x[more] += E[cell] + ((E[cell + 1] - E[cell]) * (u >> 22 & LOW) >> 32)
            more = more[cell == 1023]
        return (x * mean >> 16).astype(int)

    def recall(self, user, held):
        """The candidates of each user, and which of them are unseen."""
        articles, unseen = (np.full((len(user), RECALLED), x) for x in (0, True))
        for i in range(RECALLED):
            coins = self.next(user) if i % 4 == 0 else coins >> 16
            row = np.nonzero(((coins & 65535) < 13107) & (held > 0))[0]
            article = self.old(user[row], held[row])
            new = (articles[row, :i] != article[:, None]).all(axis=1)
            articles[row[new], i], unseen[row[new], i] = article[new], False
            articles[unseen[:, i], i] = self.fresh[user[unseen[:, i]]]
            self.fresh[user] += unseen[:, i]
        return articles, unseen

    def old(self, user, n):
        """An article of the n that each was shown."""
        f = 1 << below(self.next(user), np.frexp(n)[1])
        return self.shown[user, n - f - below(self.next(user), np.minimum(f, n - f + 1))]

    def leave(self, user):
        """Sets when the next refresh is."""
        more = self.next(user) >> 32 >= 1431655766
        self.at[user] += self.exponential(user, np.where(more, 170, self.gap[user])) + 10 * more

def refreshes(run, s, days, most):
    """Yields users, time, articles recorded before, unseen candidates, those reported as seen, and
    articles recorded after. Who has recorded more than most articles is left out from then on."""
    visits, ring = Visits(run), Ring(run, s)
    recorded = np.zeros(len(run.users), int)
    active = run.users[visits.at < days * DAY]
    while len(active):
        at = visits.at[active]
        held = recorded[active]
        articles, unseen = visits.recall(active, held)
        places = ring.places(active, articles)
        reported = ring.reported(active, places, held)
        taken = ~reported & (np.cumsum(~reported, axis=1) <= SHOWN)
        row, number = ranges(held, taken.sum(axis=1))
        user = active[row]
        ring.record(user, places[taken], number)
        visits.shown[user, number] = articles[taken]
        recorded[active] += taken.sum(axis=1)
        yield active, at, held, unseen.sum(1), (reported & unseen).sum(1), recorded[active]
        visits.leave(active)
        active = active[(visits.at[active] < days * DAY) & (recorded[active] <= most)]

@lru_cache(None)
def passed(run, name):
    """Of the refreshes of 30 days: articles recorded before, unseen candidates, false positives."""
    some = Population(run.seed, min(len(run.users), 20_000))
    steps = zip(*refreshes(some, STRUCTURES[name], 30, most=1000))
    return [np.concatenate(column) for column in steps][2:5]
