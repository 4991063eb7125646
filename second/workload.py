"""Numbers, IDs and users of second/spec/workload.md, over numpy arrays of unsigned integers of 64 bits."""
import numpy as np

np.seterr(over="ignore", divide="ignore", invalid="ignore")
G, A, B, P = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0x9FB21C651E98DF25, 0xD1342543DE82EF95
LOW = 2**32 - 1
ORDER, LIFE, REQUEST, VISITS = 1, 2, 3, 4  # purposes
FRESH = 41475557
GRID = np.sort(np.append(np.arange(0, 2001, 50), 501))
LIVES = np.arange(500, 2300)
SHARE = np.where(LIVES < 800, 0.98 / 300, 1 / (50 * 5 * 300))

def u64(x):
    """x as an array of unsigned integers; negative ones wrap."""
    return np.atleast_1d(x).astype(np.uint64)

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

def mix(x, g=G):
    x = (x ^ (x >> 32)) * A
    x = (x ^ (x >> 29) ^ g) * B
    return x ^ (x >> 32)

def positions(mixed, m, k, factor=1):
    """From an ID to positions: k arrays."""
    mixed, found = mixed * (factor % 2**64), []
    while len(found) < k:
        x = mixed
        for _ in range(min(3 if m <= 2**18 else 2, k - len(found))):
            digit = ((x & LOW) * m >> 32) + (x >> 32) * m >> 32  # the high word of x*m, m below 2^32
            found.append(digit.view(np.int64))
            x = x * m
        mixed = mixed * P
    return found

def over_lives(table):
    """The mean over lives of a function, given as its values after 0, 1, ... articles."""
    return float(np.cumsum(SHARE * table[LIVES])[-1])

def ranges(first, count):
    """Row and number of count[row] articles each, from number first[row] on."""
    row = np.repeat(np.arange(len(count)), count)
    return row, np.arange(len(row)) + (first - np.cumsum(count) + count)[row]

class Population:
    """The users 0 to users-1: the order in which each meets the articles, and the life of each."""
    def __init__(self, seed, users):
        self.seed, self.users = seed, np.arange(users)
        self.salt = draw(u64((seed + G) % 2**64))
        order, life = key(seed, self.users, ORDER), key(seed, self.users, LIFE)
        self.stride, self.offset, self.twist = (stream(order, i) for i in (1, 2, 3))
        longer = (below(stream(life, 2), 50) == 0) * 300 * (1 + below(stream(life, 3), 5))
        self.life = 500 + below(stream(life, 1), 300) + longer

    def ids(self, user, i):
        """The user's i-th article; user and i broadcast."""
        a = (u64(i) * (self.stride[user] | 1) + self.offset[user]) & (2**26 - 1)
        a = (a ^ (a >> 13)) * (self.twist[user] | 1) & (2**26 - 1)
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
