"""Numbers, IDs and users of docs/workload.md, over numpy arrays of unsigned integers of 64 bits."""
from statistics import NormalDist

import numpy as np

np.seterr(over="ignore", divide="ignore", invalid="ignore")
G, A, B, P = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0x9FB21C651E98DF25, 0xD1342543DE82EF95
LOW = 2**32 - 1
ORDER, LIFE, REQUEST, VISITS, ARTICLES, POPULAR = 1, 2, 3, 4, 6, 7  # purposes
CATALOGUE, FRESH, CANDIDATES, DAY = 2**26, 41475557, 12, 86400
GRID = np.sort(np.append(np.arange(0, 2001, 50), 501))
LIVES = np.arange(500, 2300)
SHARE = np.where(LIVES < 800, 0.98 / 300, 1 / (50 * 5 * 300))

def u64(x):
    """x as an array of unsigned integers; negative ones wrap."""
    return np.atleast_1d(np.asarray(x)).astype(np.uint64)

def draw(x):
    for _ in range(2):
        x = (x ^ (x >> 32)) * A
    return x ^ (x >> 32)

def key(seed, user, purpose):
    return draw(draw(u64((seed + purpose * G) % 2**64)) + u64(user) * G)

def stream(start, i):
    return draw(start + u64(i) * G)

def below(u, n):
    return ((u >> 32) * u64(n) >> 32).astype(np.int64)

def pick(seed, user, step, n):
    return below(stream(key(seed, user, REQUEST), np.asarray(step) + 1), n)

def hi(x, m):
    """The high word of the product x*m; m is a number below 2^32, or an array."""
    if isinstance(m, int):
        low = (x & LOW) * m >> 32
        low += (x >> 32) * m
        return low >> 32
    high, low, top, bottom = x >> 32, x & LOW, m >> 32, m & LOW
    middle = high * bottom + (low * bottom >> 32)
    return high * top + (middle >> 32) + (low * top + (middle & LOW) >> 32)

def mix(x):
    x = (x ^ (x >> 32)) * A
    x = (x ^ (x >> 29) ^ G) * B
    return x ^ (x >> 32)

def positions(mixed, m, k):
    """From an ID to positions: k arrays."""
    found = []
    while len(found) < k:
        x = mixed
        for _ in range(min(3 if m <= 2**18 else 2, k - len(found))):
            found.append(hi(x, m).view(np.int64))
            x = x * m
        mixed = mixed * P
    return found

def over_lives(table):
    """The mean over lives of a function, given as its values after 0, 1, ... articles."""
    return float(np.cumsum(SHARE * table[LIVES])[-1])

class Population:
    """The users 0 to users-1: the order in which each meets the articles, and the life of each."""

    def __init__(self, seed, users):
        self.seed, self.users = seed, np.arange(users)
        start = key(seed, self.users, ORDER)
        self.stride, self.offset, self.twist = (stream(start, i) for i in (1, 2, 3))
        self.salt = draw(u64((seed + G) % 2**64))
        first, second, third = (stream(key(seed, self.users, LIFE), i) for i in (1, 2, 3))
        longer = (below(second, 50) == 0) * 300 * (1 + below(third, 5))
        self.life = 500 + below(first, 300) + longer

    def ids(self, user, i):
        """The user's i-th article; user and i broadcast."""
        a = (u64(i) * (self.stride[user] | 1) + self.offset[user]) & (CATALOGUE - 1)
        a = (a ^ (a >> 13)) * (self.twist[user] | 1) & (CATALOGUE - 1)
        x = (a + self.salt) * A
        x = (x ^ (x >> 32)) * B
        return x ^ (x >> 29)

    def moments(self):
        """The full population: user, articles shown and index of each moment, as three arrays."""
        user, life, draws = self.users[:, None], self.life[:, None], np.arange(8)
        n = np.searchsorted(GRID, life, "right")
        drawn = (life >= 800) | ((draws == 0) & (pick(self.seed, user, -3, 4) == 0))
        points = np.where(drawn, GRID[pick(self.seed, user, draws, n)], 500)
        points = np.sort(np.hstack([np.full_like(life, 500), life, points]), axis=1)
        once = np.diff(points, prepend=-1) > 0
        index = np.cumsum(once, axis=1) - 1
        return np.nonzero(once)[0], points[once], index[once]

class Histories:
    """Recorded sequences: row i is count[i] articles from begin[i] on of a flat array of IDs."""

    def __init__(self, ids, begin, count):
        self.ids, self.mixed, self.begin, self.count = ids, mix(ids), begin, count

    @staticmethod
    def of(population, users, first, count):
        """Histories of count articles of each user, from the user's article number first on."""
        begin = np.cumsum(count) - count
        row = np.repeat(np.arange(len(users)), count)
        i = first[row] + np.arange(count.sum()) - begin[row]
        return Histories(population.ids(users[row], i), begin, count)

    def spans(self, first, last):
        """Row, and place in the flat array, of every article first[row] to last[row]-1."""
        count = np.maximum(last - first, 0)
        row = np.repeat(np.arange(len(count)), count)
        start = self.begin + first - np.cumsum(count) + count
        return row, start[row] + np.arange(count.sum())

E = u64(np.floor(-np.log1p(-np.minimum(np.arange(1025), 1023) / 1024) * 65536 + 0.5))

class Stream:
    """The numbers of one stream a user, each taken in its turn."""

    def __init__(self, start):
        self.start, self.taken = start, np.zeros(len(start), np.int64)

    def next(self, user):
        self.taken[user] += 1
        return stream(self.start[user], self.taken[user])

    def standard(self, user):
        """What exponential multiplies by its mean."""
        u = self.next(user)
        cell = (u >> 54).astype(int)
        x = E[cell] + ((E[cell + 1] - E[cell]) * (u >> 22 & LOW) >> 32)
        last = cell == 1023
        if last.any():
            x[last] += self.standard(user[last])
        return x

    def exponential(self, user, mean):
        return (self.standard(user) * mean >> 16).astype(np.int64)

def daily(population, structure, days, most=2**30, coming_and_going=False):
    """The daily population with one of the paper's structures, a refresh of every user at a time.

    Yields users, time, articles recorded before, unseen candidates, those reported as seen, and
    articles recorded after. Who has recorded more than most articles is left out from then on.
    A structure is a table, for each link, of the number of the article that last set a bit: the
    bit is set if that article is within the window.
    """
    users = population.users
    v = Stream(key(population.seed, users, VISITS))
    quantiles = np.array([NormalDist().inv_cdf((c + 0.5) / 1024) for c in range(1024)])
    spread = np.exp(1.1 * quantiles[below(v.next(users), 1024)])
    gap = u64(np.floor(np.clip(DAY / (0.4 * spread), 60, 2**26) + 0.5))
    at = v.exponential(users, gap)
    recorded, base, fresh = np.zeros((3, len(users)), np.int64)
    shown, last_at = np.zeros((len(users), 1100), np.int64), np.full(len(users), -(2**40))
    links, size = structure.slots
    bits = 8192 if structure.name == "queue" else structure.parts[0].m
    set_by = np.full((len(users), links, bits), -1, np.int32)
    active = users[at < days * DAY]
    while len(active):
        lost = active[at[active] - last_at[active] >= DAY]
        if coming_and_going:
            base[lost] += recorded[lost]
            recorded[lost] = 0
        last_at[active], held = at[active], recorded[active]
        wanted = np.zeros((len(active), 16), np.int64)
        unseen = np.ones(wanted.shape, bool)
        for i in range(16):
            coins = v.next(active) if i % 4 == 0 else coins >> 16
            if not coming_and_going:
                again = np.nonzero(((coins & 65535) < 13107) & (held > 0))[0]
                n, user = held[again], active[again]
                f = 1 << below(v.next(user), np.frexp(n)[1])
                article = shown[user, n - f - below(v.next(user), np.minimum(f, n - f + 1))]
                new = (wanted[again, :i] != article[:, None]).all(axis=1)
                wanted[again[new], i], unseen[again[new], i] = article[new], False
            wanted[unseen[:, i], i] = fresh[active[unseen[:, i]]]
            fresh[active] += unseen[:, i]
        places = wanted[:, :, None]
        if structure.name != "queue":
            mixed = mix(population.ids(active[:, None], wanted))
            places = np.stack(positions(mixed, bits, structure.parts[0].k), axis=2)
        oldest = (base[active] + held - structure.window[held])[:, None, None, None]
        found = set_by[active[:, None, None], :, places] >= oldest
        reported = found.all(axis=2).any(axis=2)
        taken = ~reported & (np.cumsum(~reported, axis=1) <= 10)
        row, i = np.nonzero(taken)
        user, number = active[row], (held[:, None] + np.cumsum(taken, axis=1) - 1)[row, i]
        entry = user[:, None], (number // size % links)[:, None], places[row, i]
        set_by[entry] = (base[user] + number)[:, None]  # of one entry the last article remains
        if not coming_and_going:
            shown[user, number] = wanted[row, i]
        recorded[active] += taken.sum(axis=1)
        yield (active, at[active], held, unseen.sum(axis=1), (reported & unseen).sum(axis=1),
               recorded[active])
        more = v.next(active) >> 32 >= 1431655766
        at[active] += v.exponential(active, np.where(more, 170, gap[active])) + 10 * more
        active = active[(at[active] < days * DAY) & (recorded[active] <= most)]
