"""The structures of docs/workload.md and docs/structures.md: what they report, hold, take and expect.

A structure has parts; it reports what one of them does. record(histories) of a part makes a copy that holds them.
"""
from copy import copy
from dataclasses import dataclass

import numpy as np

import formulas
from hashing import G, LOW, P, U, mix, positions, power, u64

R = np.arange(2401)  # tables are by articles recorded, 0 to 2400
NONE = 0 * R
AGES = np.arange(1001)


@dataclass
class Structure:
    """A structure: tables by articles recorded, and its parts."""
    name: str
    share: int
    header: int
    window: np.ndarray
    bytes: np.ndarray
    rate: np.ndarray
    parts: list
    asymptotic: np.ndarray = None
    fill: np.ndarray = None
    forgets: bool = True
    remembers: tuple = None      # the ages remembered are above the first and up to the second; else 1 to the window
    fades: np.ndarray = None     # chance of being reported by age, for those that fade
    slots: tuple = (1, 1)        # links in a ring, and articles in each, for the daily population

    def record(self, histories):
        state = copy(self)
        state.parts = [part.record(histories) for part in self.parts]
        return state

    def seen(self, ids, rows):
        """Which of the IDs, a line for each of the rows or one for all, are reported."""
        mixed = mix(ids)
        found = [part.seen(ids, mixed, rows) for part in self.parts]
        return np.broadcast_to(np.any(found, axis=0), (len(rows), ids.shape[1]))

    def set_bits(self):
        return [sum(column) for column in zip(*(part.set_bits() for part in self.parts))]

    def chance(self, lives):
        """window: chance that an article is reported, [life, age]."""
        if self.fades is not None:
            return np.broadcast_to(self.fades, (len(lives), len(AGES)))
        newest, oldest = (table[lives][:, None] for table in self.remembers or (NONE, self.window))
        return np.where((AGES > newest) & (AGES <= oldest), 1, self.rate[lives][:, None])


class Filters:
    """Bloom filters of one geometry: lane j holds articles lanes[j][0][r] to lanes[j][1][r]-1, used[r] lanes are there.

    The first lane may be silent. Bit j of an entry of the table is lane j's.
    """

    def __init__(self, m, k, lanes, used=NONE + 1, silent=0, times=U(1), scheme=positions):
        self.m, self.k, self.lanes, self.used, self.silent = m, k, lanes, used, silent
        self.counts = [last - first for first, last in lanes]
        self.places = lambda mixed: scheme(mixed * times, m, k)

    def record(self, h):
        state, width = copy(self), np.uint8 if len(self.lanes) <= 8 else np.uint16
        state.h, state.table, places = h, np.zeros(len(h.count) * self.m, width), self.places(h.mixed)
        for j, (first, last) in enumerate(self.lanes):
            row, at = h.spans(first[h.count], last[h.count])
            lane = np.zeros(len(state.table), width)
            for p in places:
                lane[row * self.m + p[at]] = 1 << j
            state.table |= lane
        state.asked = state.table >> width(1) if self.silent else state.table
        return state

    def seen(self, ids, mixed, rows):
        start, found = rows[:, None] * self.m, True
        for p in self.places(mixed):
            bits = self.asked.take(start + p)
            found = bits if found is True else found & bits
        return found != 0

    def set_bits(self):
        bits = np.unpackbits(self.table.view(np.uint8)).reshape(len(self.h.count), -1)
        return bits.sum(axis=1, dtype=int), self.m * self.used[self.h.count]


class Newest:
    """The newest size[r] articles, by a number that key makes of the ID, in slots[r] slots."""

    def __init__(self, size, key=lambda ids, mixed: ids, slots=None):
        self.size, self.key, self.slots = size, key, slots

    def record(self, h):
        state = copy(self)
        state.h, keys, end = h, self.key(h.ids, h.mixed), h.begin + h.count
        state.held = [keys[e - n:e] for e, n in zip(end, self.size[h.count])]
        return state

    def seen(self, ids, mixed, rows):
        asked = np.broadcast_to(self.key(ids, mixed), (len(rows), ids.shape[1]))
        return np.array([np.isin(line, self.held[row]) for row, line in zip(rows, asked)])

    def set_bits(self):
        return self.size[self.h.count], self.slots[self.h.count]


class Slices:
    """structures.md, apbf. Bit o of an entry is that of the slice o places from the youngest; a table for each hash."""

    def record(self, h):
        state = Slices()
        state.youngest, state.table = (h.count - 1) // 10 + 9, np.zeros((10, len(h.count), 142), U)
        row, at = h.spans(0 * h.count, h.count)
        places = np.array(self.places(h.mixed))
        for ahead in range(10):
            s = (at - h.begin[row]) // 10 + ahead
            o = state.youngest[row] - s
            kept, q = o < 50, s % 10
            np.bitwise_or.at(state.table, (q[kept], row[kept], places[q, at][kept]), U(1) << o[kept].astype(U))
        return state

    @staticmethod
    def places(mixed):
        halves = [(y >> U(32), y & LOW) for y in (mixed * power(i) for i in range(1, 6))]
        return [(half * U(142) >> U(32)).astype(int) for pair in halves for half in pair]

    def seen(self, ids, mixed, rows):
        match = np.bitwise_or.reduce([self.table[q, rows[:, None], p] for q, p in enumerate(self.places(mixed))])
        two = match & match >> U(1)
        four = two & two >> U(2)
        return (four & four >> U(4) & two >> U(8)) != 0

    def set_bits(self):
        bits = np.unpackbits(self.table.view(np.uint8), axis=2).sum(axis=(0, 2), dtype=int)
        return bits, 1420 * np.minimum(self.youngest // 10 + 1, 5)


class Stable:
    """structures.md, stable: a table of cells."""
    cells = 6425

    def record(self, h):
        state, n = Stable(), self.cells
        state.table = np.zeros((len(h.count), n + 3), np.uint8)
        for i in range(int(h.count.max())):
            row = np.nonzero(h.count > i)[0]
            line, mixed = row[:, None], h.mixed[h.begin[row] + i]
            x = mixed ^ G
            x = (x ^ (x >> U(30))) * U(0xBF58476D1CE4E5B9)
            first = 4 * ((x >> U(32)) * U(1600) >> U(32)).astype(int)[:, None]
            eight_bytes = state.table[line, first + np.arange(32)].astype(U) << u64(2 * np.arange(32))
            x = x ^ np.bitwise_or.reduce(eight_bytes, axis=1)
            x = (x ^ (x >> U(27))) * U(0x94D049BB133111EB)
            x = (x ^ (x >> U(31))) * U(0xBF58476D1CE4E5B9)
            ring = (((x >> U(32)) * U(n) >> U(32)).astype(int)[:, None] + np.arange(24)) % n
            held = state.table[line, ring]
            state.table[line, ring] = held - (held > 0)
            state.table[line, np.array(positions(mixed, n, 4)).T] = 3
        return state

    def seen(self, ids, mixed, rows):
        return np.all([self.table[rows[:, None], p] > 0 for p in positions(mixed, self.cells, 4)], axis=0)

    def set_bits(self):
        return (self.table > 0).sum(axis=1), np.full(len(self.table), self.cells)


class Links:
    """structures.md, matrix: the closed links. A table has the columns' parities of each byte of a row, as bits."""

    def record(self, h):
        state, rows, closed = Links(), len(h.count), h.count // 50
        n = closed[:, None] - 1 - (closed[:, None] - 1 - np.arange(8)) % 8  # the link in each slot
        there = n >= 0
        state.multipliers = np.zeros((2, rows, 8), U)
        state.table = np.full((7, rows, 8, 256), 512, np.uint16)  # what no fingerprint has
        keys = (h.mixed >> U(47))[(h.begin[:, None] + 50 * n)[there][:, None] + np.arange(50)]
        multipliers, columns = solve(keys, np.nonzero(there)[1])
        state.multipliers[:, there] = multipliers
        for byte in range(7):
            parity = np.zeros((len(keys), 1), np.uint16)
            for bit in range(8 * byte, 8 * byte + 8):
                parity = np.hstack([parity, parity ^ columns[:, bit:bit + 1]])
            state.table[byte, there] = parity
        return state

    def seen(self, ids, mixed, rows):
        x = mix(mixed >> U(47))
        seldom, found = x >> U(62) == 0, False
        for slot in range(8):
            often, other = self.multipliers[:, rows, slot, None]
            w = x * np.where(seldom, other, often)
            w ^= w >> U(32)
            differing = (w >> U(55)).astype(np.uint16)
            for byte in range(7):
                place = (rows * 8 + slot)[:, None] * 256 + ((w >> U(8 * byte)) & U(255)).astype(int)
                differing ^= self.table[byte].ravel().take(place)
            found |= differing == 0
        return found


def solve(keys, slot):
    """structures.md, matrix: each link's two multipliers, and its columns: bit j of entry i is bit i of column j."""
    mixed = mix(keys)
    order = np.argsort(((mixed >> U(62) == 0).astype(U) << U(17)) | keys, axis=1)
    keys, mixed = (np.take_along_axis(x, order, axis=1) for x in (keys, mixed))
    once = np.hstack([keys[:, :1] == keys[:, :1], keys[:, 1:] != keys[:, :-1]])
    multipliers, columns = np.zeros((2, len(keys)), U), np.zeros((len(keys), 56), np.uint16)
    left = np.arange(len(keys))
    for seed in range(255):
        if not len(left):
            return multipliers, columns
        d = mix(u64([seed // 32, 256 + seed]))[:, None]
        tried = (d + U(256) * slot[left].astype(U)) * P | U(1)
        w = mixed[left] * np.where(mixed[left] >> U(62) == 0, tried[1][:, None], tried[0][:, None])
        w, pivots = np.where(once[left], w ^ (w >> U(32)), 0).T.copy(), []
        for i in range(50):
            row = w[i] & U(2**50 - 1)
            pivots.append(row & -row)
            others = np.where(w & pivots[i], w[i], U(0))
            others[i] = 0
            w ^= others
        pivots = np.array(pivots)
        done = np.all((pivots > 0) | ~once[left].T, axis=0)
        multipliers[:, left[done]] = tried[:, done]
        for pivot, row, here in zip(pivots, w, once[left].T):
            at = done & here
            columns[left[at], np.log2(pivot[at]).astype(int)] = row[at] >> U(55)
        left = left[~done]
    raise ValueError("a link without a seed, of which there is one in 10^37")


def length(m, filters=1):
    return (filters * m + 7) // 8


def up(a, b):
    """a/b rounded up."""
    return -(-a // b)


def of_filters(name, share, header, parts, window, size, **more):
    """A structure of Bloom filters, with the theory of their closed forms."""
    rate = formulas.any_of([formulas.exact(f.m, f.k, *f.counts[f.silent:]) for f in parts])
    rough = formulas.any_of([formulas.asymptotic(f.m, f.k, n) for f in parts for n in f.counts[f.silent:]])
    fill = sum(f.m * formulas.fill(f.m, f.k, n) for f in parts for n in f.counts)
    fill = fill / np.maximum(sum(f.m * f.used for f in parts), 1)
    return Structure(name, share, header, window, np.where(R > 0, size, 0), rate, parts, rough, fill, **more)


def single(name, m, k, share=1, header=0, size=None):
    return of_filters(name, share, header, [Filters(m, k, [(NONE, R)])], R, size or length(m), forgets=False)


def dual(name, m=4064, n=500, x=300, share=1, blanked=False):
    h = np.where(R < n, R, n - x + (R - n) % x)
    size = np.where((h >= x) | (blanked & (R >= n)), length(m, 2), length(m)) + 4
    return of_filters(name, share, 4, [Filters(m, 6, [(R - h, R)])], h, size)


def generations(g, n, r=R):
    return ((r - 1) % g + 1) * (r > 0), np.maximum(np.minimum((r - 1) // g, n - 1), 0)


def links(m, k, c, l, eager=False, silent=0, r=R):
    """Structures, chain: its filters, the head first; articles in the head, and links that are full."""
    head, full = generations(c, l, r)
    if eager:
        head, full = np.where(r >= l * c, r % c, head), np.where(r >= l * c, l - 1, full)
    older = [((r - head - j * c) * (full >= j), (r - head - (j - 1) * c) * (full >= j)) for j in range(1, l)]
    return Filters(m, k, [(r - head, r)] + older, full + 1, silent), head, full


def chain(name, m=812, k=6, c=100, l=5, share=1, eager=False, literal=False):
    filters, head, full = links(m, k, c, l, eager, int(literal))
    window, size, silent = head + full * c, length(m, full + 1) + 4, (head, head + full * c)
    return of_filters(name, share, 4, [filters], NONE if literal else window, size, slots=(l, c),
                      remembers=silent if literal else None)


def queue(w=500):
    held = np.minimum(R, w)
    size = np.where(R > 0, 8 * np.minimum(w, 50 * up(held, 50)) + 4, 0)
    return Structure("queue", 1, 4, held, size, held / 2.0**64, [Newest(held)])


def scalable():
    parts, start, size = [], 0, 3
    for i, (m, k) in enumerate([(290, 7), (618, 8), (1314, 8), (2784, 9), (5890, 9), (12410, 10), (26117, 10)]):
        end, used = start + 27 * 2**i, R > start
        parts.append(Filters(m, k, [(np.minimum(R, start), np.minimum(R, end))], used, times=power(32 * i)))
        start, size = end, size + used * length(m)
    return of_filters("beyond/scalable", 100, 3, parts, R, size, forgets=False)


def confirmed():
    filters, head, full = links(714, 8, 60, 6, r=np.maximum(R - 100, 0))
    newest = np.minimum(R, 100)
    size = 4 + 200 * up(newest, 25) + (R > 100) * (length(714, full + 1) + 4)
    s = of_filters("beyond/confirmed", 100, 8, [filters], newest + head + 60 * full, size)
    s.rate, s.asymptotic = (formulas.any_of([f, newest / 2.0**64]) for f in (s.rate, s.asymptotic))
    s.fill, s.parts = None, s.parts + [Newest(newest)]
    return s


def blocked():
    def scheme(mixed, m, k):
        x = (mixed ^ G) * P
        block, x = ((x >> U(32)) * U(7) >> U(32)).astype(int), (x ^ (x >> U(32))) * P
        return [block * 512 + ((x >> U(9 * i)) & U(511)).astype(int) for i in range(k)]
    s = of_filters("beyond/blocked", 100, 0, [Filters(3584, 4, [(NONE, R)], scheme=scheme)], R, 448, forgets=False)
    s.rate, s.asymptotic, s.fill = formulas.blocked(7, 512, 4, R[-1])
    return s


def apbf():
    rate, rough, fill, fades = formulas.apbf(R, AGES)
    young, full = generations(10, 41)
    size = (R > 0) * (up(1420 * np.minimum((9 + (R - 1) // 10) // 10 + 1, 5), 8) + 3)
    return Structure("beyond/apbf", 100, 3, young + 10 * full, size, rate, [Slices()], rough, fill, fades=fades)


def stable():
    rate, rough, fill, fades = formulas.stable(R[-1], AGES)
    size, window = (R > 0) * 1607, np.minimum(R, 3)
    return Structure("beyond/stable", 100, 0, window, size, rate, [Stable()], rough, fill, fades=fades)


def fingerprints(name, values, window, size, share=100, times=U(1)):
    """A list of the newest fingerprints, which reports what a filter with a bit for each of their values would."""
    filters = Filters(values, 1, [(R - window, R)], times=times)
    s = of_filters("beyond/" + name, share, 3, [filters], window, size + 3)
    s.asymptotic = s.fill = None
    return s


def cuckoo(w):
    def alike(ids, mixed):
        y = mixed * P
        b, f = (y >> U(32)) * U(178) >> U(32), ((y & LOW) * U(255) >> U(32)) + U(1)
        h = ((f * f * P >> U(32)) * U(89) >> U(32)) * U(2) + U(1)
        other = (h + U(178) - b) % U(178)
        return (f * U(178) + np.minimum(b, other)) * U(178) + np.maximum(b, other)
    stage = np.searchsorted([1, 23, 44, 87, 172], R, "right")
    size, slots = np.array([0, 82, 135, 234, 415, 749])[stage], np.array([36, 36, 69, 135, 267, 534])[stage]
    rate, rough = formulas.fill(22695, 1, w), formulas.fill(2**8, 1, 2 * w / 178)
    return Structure("beyond/cuckoo", 100, 4, w, size, rate, [Newest(w, alike, slots)], rough, w / slots)


def matrix():
    full = np.minimum(R // 50, 8)
    size = np.array([0, 22, 31, 50, 86, 144, 201, 258, 315, 373, 430, 487, 544])
    size = size[np.searchsorted([1, 8, 14, 26, *range(50, 401, 50)], R, "right")]
    window = 50 * full + R % 50
    rate = formulas.any_of([formulas.fill(2**17, 1, window), 1 - (1 - 2**-9) ** full])
    return Structure("beyond/matrix", 100, 3, window, size, rate, [Links(), Newest(R % 50, lambda _, x: x >> U(47))])


def all_structures():
    last, (young, full), (rolled, older) = np.minimum(R, 400), generations(57, 8), generations(200, 3)
    h, s, s48, s40 = rolled + 200 * older, 57 * (full + 1), *(np.minimum(n * up(last, n), 400) for n in (48, 40))
    rolling = of_filters("beyond/rolling", 100, 3, [Filters(4893, 6, [(R - h, R)])], h, np.where(R > 200, 1227, 615))
    return [
        queue(), single("single", 4064, 6), dual("dual"), chain("chain"), dual("dual-blanked", share=40, blanked=True),
        chain("chain-literal", share=40, literal=True), chain("chain-eager", share=40, eager=True),
        chain("chain-sized", 1150, 8, share=40), chain("beyond/chain-best", 713, 9, 57, 8, share=100), rolling,
        single("beyond/counting", 3263, 6, 100, 0, 1632), single("beyond/sized", 2040, 6, 100, 1, 256),
        confirmed(), scalable(), blocked(), apbf(), stable(), matrix(), cuckoo(young + 57 * full),
        fingerprints("ring", 19800, last, up(43 * (s48 // 3) + np.array([0, 15, 29])[s48 % 3], 8), times=P),
        fingerprints("quotient", 22572, young + 57 * full, up(s + 706, 8) + s),
        fingerprints("swamp", 32768, last, up(15 * s40, 8) + up(s40 + 512, 8) + up(6 * s40, 8), share=1000)]
