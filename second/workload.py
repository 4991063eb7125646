"""The full and the daily population of docs/workload.md."""
from statistics import NormalDist

import numpy as np

from hashing import (G, A, B, LIFE, LOW, ORDER, U, VISITS, below, draw, key, pick, positions, mix, stream, u64)

CATALOGUE, FRESH, CANDIDATES, DAY = 2**26, 41475557, 12, 86400
GRID = np.sort(np.append(np.arange(0, 2001, 50), 501))
LIVES = np.arange(500, 2300)
SHARE = np.where(LIVES < 800, 0.98 / 300, 1 / (50 * 5 * 300))


def over_lives(table):
    """The full population: mean over lives of a function, given as its values after 0, 1, ... articles."""
    return float(np.cumsum(SHARE * table[LIVES])[-1])


class Population:
    """The users 0 to users-1 of a seed: the order in which each meets the articles, and how many each is shown."""

    def __init__(self, seed, users):
        self.seed, self.users = seed, np.arange(users)
        start = key(seed, self.users, ORDER)
        stride, self.offset, twist = (stream(start, i) for i in (1, 2, 3))
        self.stride, self.twist, self.salt = stride | U(1), twist | U(1), draw(seed + int(G))
        d = key(seed, self.users, LIFE)
        long = (below(stream(d, 2), 50) == 0) * 300 * (1 + below(stream(d, 3), 5))
        self.life = 500 + below(stream(d, 1), 300) + long

    def ids(self, user, i):
        """IDs: the user's i-th article; user and i broadcast."""
        low = U(CATALOGUE - 1)
        a = (u64(i) * self.stride[user] + self.offset[user]) & low
        a = (a ^ (a >> U(13))) * self.twist[user] & low
        x = (a + self.salt) * A
        x = (x ^ (x >> U(32))) * B
        return x ^ (x >> U(29))

    def moments(self):
        """The full population: user, articles shown and index of each moment, as three arrays."""
        user, life = self.users[:, None], self.life[:, None]
        n = np.searchsorted(GRID, self.life, "right")[:, None]
        point = GRID[pick(self.seed, user, np.arange(8), n)]
        some = (life >= 800) | ((np.arange(8) == 0) & (pick(self.seed, user, -3, 4) == 0))
        points = np.sort(np.hstack([np.full_like(life, 500), life, np.where(some, point, 500)]), axis=1)
        once = np.hstack([np.ones_like(life, bool), points[:, 1:] != points[:, :-1]])
        index = np.cumsum(once, axis=1) - 1
        return np.nonzero(once)[0], points[once], index[once]


class Histories:
    """Recorded sequences: row i is the articles begin[i] to begin[i]+count[i]-1 of a flat array of IDs."""

    def __init__(self, ids, begin, count):
        self.mixed, self.ids, self.begin, self.count = mix(ids), ids, begin, count

    @staticmethod
    def of(population, users, first, count):
        """Histories of count articles of each user, from the user's article number first on."""
        begin = np.cumsum(count) - count
        user = np.repeat(np.arange(len(users)), count)
        at = np.arange(count.sum()) - begin[user]
        return Histories(population.ids(users[user], first[user] + at), begin, count)

    def spans(self, first, last):
        """Row, and place in the flat array, of every article first[row] to last[row]-1."""
        count = np.maximum(last - first, 0)
        row = np.repeat(np.arange(len(count)), count)
        return row, np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + (self.begin + first)[row]


E_TABLE = u64(np.append(0, np.floor(-np.log1p(-np.arange(1, 1024) / 1024) * 65536 + 0.5)))


class Stream:
    """The numbers of one stream a user, each taken in its turn."""

    def __init__(self, start):
        self.start, self.taken = start, np.zeros(len(start), np.int64)

    def next(self, user):
        self.taken[user] += 1
        return stream(self.start[user], self.taken[user])

    def exponential(self, user, mean):
        result, past, open_ = np.zeros(len(user), U), np.zeros(len(user), U), np.arange(len(user))
        while len(open_):
            u = self.next(user[open_])
            cell, w = (u >> U(54)).astype(int), (u >> U(22)) & LOW
            done = cell < 1023
            base, step = E_TABLE[cell], E_TABLE[np.minimum(cell + 1, 1023)] - E_TABLE[cell]
            result[open_] = (past[open_] + base + (step * w >> U(32))) * mean[open_] >> U(16)
            past[open_] += E_TABLE[1023]
            open_ = open_[~done]
        return result.astype(np.int64)


def daily(population, structure, days, most=2**30, coming_and_going=False):
    """The daily population with one of the paper's structures: steps of one refresh of every user who has one left.

    Yields of each: users, time, articles recorded before, unseen candidates, those reported as seen, recorded after.
    A user who has recorded more than most articles is left out from then on. A structure is a table of the number of
    the article that last set a bit, a table for each link: a bit is set if that article is within the window.
    """
    users = population.users
    v = Stream(key(population.seed, users, VISITS))
    z = np.array([NormalDist().inv_cdf((c + 0.5) / 1024) for c in range(1024)])[below(v.next(users), 1024)]
    gap = u64(np.floor(np.clip(DAY / (0.4 * np.exp(1.1 * z)), 60, 2**26) + 0.5))
    at = v.exponential(users, gap)
    recorded, base, fresh = (np.zeros(len(users), np.int64) for _ in range(3))
    shown, last_at = np.zeros((len(users), 1100), np.int64), np.full(len(users), -(2**40))
    links, size = structure.slots
    set_by = np.full((len(users), links, structure.parts[0].m if structure.name != "queue" else 8192), -1, np.int32)
    active = users[at < days * DAY]
    while len(active):
        lost = active[at[active] - last_at[active] >= DAY]
        if coming_and_going:
            base[lost], recorded[lost] = base[lost] + recorded[lost], 0
        last_at[active], held = at[active], recorded[active]
        wanted, unseen = np.zeros((len(active), 16), np.int64), np.ones((len(active), 16), bool)
        for i in range(16):
            coins = v.next(active) if i % 4 == 0 else coins >> U(16)
            if not coming_and_going:
                again = np.nonzero(((coins & U(65535)) < U(13107)) & (held > 0))[0]
                n, user = held[again], active[again]
                f = 1 << below(v.next(user), np.frexp(n)[1])
                article = shown[user, n - f - below(v.next(user), np.minimum(f, n - f + 1))]
                new = (wanted[again, :i] != article[:, None]).all(axis=1)
                wanted[again[new], i], unseen[again[new], i] = article[new], False
            wanted[unseen[:, i], i] = fresh[active[unseen[:, i]]]
            fresh[active] += unseen[:, i]
        if structure.name == "queue":
            places = [wanted]
        else:
            places = positions(mix(population.ids(active[:, None], wanted)), set_by.shape[2], structure.parts[0].k)
        oldest = (base[active] + held - structure.window[held])[:, None, None]
        link = np.arange(links)[None, None, :]
        row = active[:, None, None]
        reported = np.all([set_by[row, link, p[:, :, None]] >= oldest for p in places], axis=0).any(axis=2)
        taken = ~reported & (np.cumsum(~reported, axis=1) <= 10)
        for i in range(16):
            row = np.nonzero(taken[:, i])[0]
            user = active[row]
            for p in places:
                set_by[user, recorded[user] // size % links, p[row, i]] = base[user] + recorded[user]
            if not coming_and_going:
                shown[user, recorded[user]] = wanted[row, i]
            recorded[user] += 1
        yield active, at[active], held, unseen.sum(axis=1), (reported & unseen).sum(axis=1), recorded[active]
        more = v.next(active) >> U(32) >= U(1431655766)
        mean = np.where(more, U(170), gap[active])
        at[active] += v.exponential(active, mean) + np.where(more, 10, 0)
        active = active[(at[active] < days * DAY) & (recorded[active] <= most)]
