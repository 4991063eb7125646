"""The structures of docs/workload.md and docs/structures.md: what they report, hold, take and expect."""
from dataclasses import dataclass, field

import numpy as np

import formulas
from hashing import G, LOW, P, U, hi, mix, positions, power, u64

MOST = 2400  # tables are by articles recorded, 0 to MOST
R = np.arange(MOST + 1)
AGES = np.arange(1001)


@dataclass
class Structure:
    """A structure: tables by articles recorded, and the parts of which any may report an article."""
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
    newest: np.ndarray = None    # articles inside the remembered ones that are not, of chain-literal
    oldest: np.ndarray = None    # the oldest age remembered, where that is not the window
    fades: np.ndarray = None     # chance of being reported by age, where neither certain nor the rate
    slots: tuple = (1, 1)        # links in a ring, and articles in each, for the daily population

    def record(self, histories):
        return State([part.record(histories) for part in self.parts])

    def chance(self, lives):
        """window: chance that an article is reported, [life, age]."""
        if self.fades is not None:
            return np.broadcast_to(self.fades, (len(lives), len(AGES)))
        oldest = (self.window if self.oldest is None else self.oldest)[lives][:, None]
        newest = (0 * R if self.newest is None else self.newest)[lives][:, None]
        return np.where((AGES > newest) & (AGES <= oldest), 1, self.rate[lives][:, None])


class State:
    """Histories as a structure holds them."""

    def __init__(self, parts):
        self.parts = parts

    def seen(self, ids, rows):
        """Which of the IDs, a line for each of the rows or one for all, are reported."""
        mixed = mix(ids)
        return np.any([np.broadcast_to(p.seen(ids, mixed, rows), (len(rows), ids.shape[1])) for p in self.parts], axis=0)

    def fill(self):
        """Set bits, and bits, of each row."""
        return [sum(column) for column in zip(*(p.fill() for p in self.parts))]


class Filters:
    """Bloom filters of one geometry: lane j holds articles lanes[j][0][r] to lanes[j][1][r]-1, used[r] lanes are there."""

    def __init__(self, m, k, lanes, used=R * 0 + 1, silent=False, places=positions):
        self.m, self.k, self.lanes, self.used, self.silent, self.places = m, k, lanes, used, silent, places

    def counts(self, answering=True):
        return [last - first for first, last in self.lanes[1 if answering and self.silent else 0:]]

    def record(self, h):
        return FiltersState(self, h)


class FiltersState:
    """A table of bits by row and position; bit j of an entry is lane j's."""

    def __init__(self, f, h):
        self.f, self.h = f, h
        self.table = np.zeros(len(h.count) * f.m, np.uint8 if len(f.lanes) <= 8 else np.uint16)
        places = f.places(h.mixed, f.m, f.k)
        for j, (first, last) in enumerate(f.lanes):
            row, at = h.spans(first[h.count], last[h.count])
            lane = np.zeros(len(self.table), bool)
            for p in places:
                lane[row * f.m + p[at]] = True
            self.table |= lane.astype(self.table.dtype) << self.table.dtype.type(j)
        self.asked = self.table & ~self.table.dtype.type(1) if f.silent else self.table

    def seen(self, ids, mixed, rows):
        start, found = rows[:, None] * self.f.m, None
        for p in self.f.places(mixed, self.f.m, self.f.k):
            bits = self.asked[start + p]
            found = bits if found is None else found & bits
        return found != 0

    def fill(self):
        bits = sum((self.table >> self.table.dtype.type(j)) & self.table.dtype.type(1) for j in range(len(self.f.lanes)))
        return bits.reshape(-1, self.f.m).sum(axis=1, dtype=int), self.f.m * self.f.used[self.h.count]


class Newest:
    """The newest size[r] articles, by a number that key makes of the ID, in slots[r] slots."""

    def __init__(self, key, size, slots=None):
        self.key, self.size, self.slots = key, size, slots

    def record(self, h):
        return NewestState(self, h)


class NewestState:
    def __init__(self, newest, h):
        self.newest, self.h, self.keys = newest, h, newest.key(h.ids, h.mixed)

    def seen(self, ids, mixed, rows):
        asked, h = np.broadcast_to(self.newest.key(ids, mixed), (len(rows), ids.shape[1])), self.h
        end, size = h.begin + h.count, self.newest.size[h.count]
        return np.array([np.isin(line, self.keys[end[i] - size[i]:end[i]]) for i, line in zip(rows, asked)])

    def fill(self):
        return self.newest.size[self.h.count], self.newest.slots[self.h.count]


class Slices:
    """structures.md, apbf. Bit o of an entry is that of the slice o places from the youngest."""

    def record(self, h):
        state = Slices()
        last = (h.count - 1) // 10
        state.youngest, state.table = last + 9, np.zeros((10, len(h.count), 142), U)
        row, at = h.spans(0 * h.count, h.count)
        generation = (at - h.begin[row]) // 10
        places = np.array(self.places(h.mixed))
        for ahead in range(10):
            s = generation + ahead
            o = state.youngest[row] - s
            kept = o < 50
            np.bitwise_or.at(state.table, (s[kept] % 10, row[kept], places[s[kept] % 10, at[kept]]), U(1) << o[kept].astype(U))
        return state

    @staticmethod
    def places(mixed):
        found = []
        for q in range(10):
            y = mixed * power(q // 2 + 1)
            found.append((((y & LOW) if q % 2 else y >> U(32)) * U(142) >> U(32)).astype(int))
        return found

    def seen(self, ids, mixed, rows):
        match = 0
        for q, p in enumerate(self.places(mixed)):
            match = match | self.table[q, rows[:, None], p]
        two = match & match >> U(1)
        four = two & two >> U(2)
        return (four & four >> U(4) & two >> U(8)) != 0

    def fill(self):
        lanes = np.minimum(self.youngest // 10 + 1, 5)
        bits = np.unpackbits(self.table.view(np.uint8), axis=2).sum(axis=(0, 2), dtype=int)
        return bits, 1420 * lanes


class Stable:
    """structures.md, stable."""
    cells = 6425

    def record(self, h):
        state, n = Stable(), self.cells
        state.table = np.zeros((len(h.count), n + 3), np.uint8)
        for i in range(int(h.count.max())):
            row = np.nonzero(h.count > i)[0]
            mixed = h.mixed[h.begin[row] + i]
            x = mixed ^ G
            x = (x ^ (x >> U(30))) * U(0xBF58476D1CE4E5B9)
            byte = ((x >> U(32)) * U(1600) >> U(32)).astype(int)
            quads = state.table[row[:, None], 4 * byte[:, None] + np.arange(32)].astype(U)
            x = x ^ np.bitwise_or.reduce(quads << u64(2 * np.arange(32)), axis=1)
            x = (x ^ (x >> U(27))) * U(0x94D049BB133111EB)
            x = (x ^ (x >> U(31))) * U(0xBF58476D1CE4E5B9)
            less = (((x >> U(32)) * U(n) >> U(32)).astype(int)[:, None] + np.arange(24)) % n
            held = state.table[row[:, None], less]
            state.table[row[:, None], less] = held - (held > 0)
            for p in positions(mixed, n, 4):
                state.table[row, p] = 3
        return state

    def seen(self, ids, mixed, rows):
        return np.all([self.table[rows[:, None], p] > 0 for p in positions(mixed, self.cells, 4)], axis=0)

    def fill(self):
        return (self.table > 0).sum(axis=1), np.full(len(self.table), self.cells)


def length(m, filters=1):
    """Structures: L(n)."""
    return (filters * m + 7) // 8


def of_filters(name, share, header, parts, window, size, **more):
    """A structure of Bloom filters, with the theory of their closed forms."""
    rate = formulas.any_of([formulas.exact(f.m, f.k, *f.counts()) for f in parts])
    rough = formulas.any_of([formulas.asymptotic(f.m, f.k, n) for f in parts for n in f.counts()])
    bits = sum(f.m * f.used for f in parts)
    fill = sum(f.m * formulas.fill(f.m, f.k, n) for f in parts for n in f.counts(answering=False)) / np.maximum(bits, 1)
    return Structure(name, share, header, window, np.where(R > 0, size, 0), rate, parts, rough, fill, **more)


def single(name, m, k, share=1, header=0, size=None):
    size = length(m) if size is None else size
    return of_filters(name, share, header, [Filters(m, k, [(0 * R, R)])], R, size, forgets=False)


def dual(name, m=4064, n=500, x=300, share=1, blanked=False):
    h = np.where(R < n, R, n - x + (R - n) % x)
    size = np.where((h >= x) | (blanked & (R >= n)), length(m, 2), length(m)) + 4
    return of_filters(name, share, 4, [Filters(m, 6, [(R - h, R)])], h, size)


def generations(g, n, r=R):
    """structures.md: young and full."""
    return ((r - 1) % g + 1) * (r > 0), np.maximum(np.minimum((r - 1) // g, n - 1), 0)


def links(m, k, c, l, eager=False, silent=False, r=R):
    """Structures, chain: its filters, the head first; the head, and how many are full."""
    head, full = generations(c, l, r)
    if eager:
        head, full = np.where(r >= l * c, r % c, head), np.where(r >= l * c, l - 1, full)
    lanes = [(r - head, r)]
    for j in range(1, l):
        there = full >= j
        lanes.append((np.where(there, r - head - j * c, 0), np.where(there, r - head - (j - 1) * c, 0)))
    return Filters(m, k, lanes, full + 1, silent), head, full


def chain(name, m=812, k=6, c=100, l=5, share=1, eager=False, literal=False):
    filters, head, full = links(m, k, c, l, eager, literal)
    window = head + full * c
    more = dict(newest=head, oldest=window) if literal else {}
    return of_filters(name, share, 4, [filters], 0 * R if literal else window, length(m, full + 1) + 4, slots=(l, c), **more)


def queue(w=500):
    held = np.minimum(R, w)
    size = np.where(R > 0, 8 * np.minimum(w, 50 * -(-held // 50)) + 4, 0)
    return Structure("queue", 1, 4, held, size, held / 2**64, [Newest(lambda ids, mixed: ids, held)], slots=(1, 1))


def scalable():
    parts, start, size = [], 0, 0
    for i, (m, k) in enumerate([(290, 7), (618, 8), (1314, 8), (2784, 9), (5890, 9), (12410, 10), (26117, 10)]):
        def places(mixed, m, k, i=i):
            return positions(mixed * power(32 * i), m, k)
        end, used = start + 27 * 2**i, R > start
        parts.append(Filters(m, k, [(np.minimum(R, start), np.minimum(R, end))], used, places=places))
        start, size = end, size + used * length(m)
    return of_filters("beyond/scalable", 100, 3, parts, R, size + 3, forgets=False)


def confirmed():
    filters, head, full = links(714, 8, 60, 6, r=np.maximum(R - 100, 0))
    newest = np.minimum(R, 100)
    later = np.where(R > 100, length(714, full + 1) + 4, 0)
    s = of_filters("beyond/confirmed", 100, 8, [filters], newest + head + 60 * full, 4 + 200 * -(-newest // 25) + later)
    s.rate, s.asymptotic = (formulas.any_of([f, newest / 2**64]) for f in (s.rate, s.asymptotic))
    s.fill, s.parts = None, s.parts + [Newest(lambda ids, mixed: ids, newest)]
    return s


def blocked():
    def places(mixed, m, k):
        x = (mixed ^ G) * P
        block, x = ((x >> U(32)) * U(7) >> U(32)).astype(int), (x ^ (x >> U(32))) * P
        return [block * 512 + ((x >> U(9 * i)) & U(511)).astype(int) for i in range(4)]
    rate, rough, fill = formulas.blocked(7, 512, 4, MOST)
    parts = [Filters(3584, 4, [(0 * R, R)], places=places)]
    return Structure("beyond/blocked", 100, 0, R, np.where(R > 0, 448, 0), rate, parts, rough, fill, forgets=False)


def apbf():
    rate, rough, fill, fades = formulas.apbf(R, AGES)
    young, full = generations(10, 41)
    size = np.where(R > 0, -(-1420 * np.minimum((9 + (R - 1) // 10) // 10 + 1, 5) // 8) + 3, 0)
    return Structure("beyond/apbf", 100, 3, young + 10 * full, size, rate, [Slices()], rough, fill, fades=fades)


def stable():
    rate, rough, fill, fades = formulas.stable(MOST, AGES)
    size = np.where(R > 0, 1607, 0)
    return Structure("beyond/stable", 100, 0, np.minimum(R, 3), size, rate, [Stable()], rough, fill, fades=fades)


def fingerprints(name, range_, window, size, header=3, share=100, times=U(1)):
    """A list of the newest fingerprints, which is a filter of one hash that forgets."""
    def places(mixed, m, k):
        return [hi(mixed * times, m).astype(int)]
    s = of_filters(name, share, header, [Filters(range_, 1, [(R - window, R)], places=places)], window, size)
    s.asymptotic = s.fill = None
    return s


def cuckoo():
    def alike(ids, mixed):
        y = mixed * P
        b, f = (y >> U(32)) * U(178) >> U(32), ((y & LOW) * U(255) >> U(32)) + U(1)
        h = ((f * f * P >> U(32)) * U(89) >> U(32)) * U(2) + U(1)
        other = (h + U(178) - b) % U(178)
        return (f * U(178) + np.minimum(b, other)) * U(178) + np.maximum(b, other)
    young, full = generations(57, 8)
    w, steps = young + 57 * full, np.array([1, 23, 44, 87, 172])
    stage = np.searchsorted(steps, R, "right") - 1
    size, slots = np.array([82, 135, 234, 415, 749])[stage], np.array([36, 69, 135, 267, 534])[stage]
    rate, rough = formulas.fill(22695, 1, w), -np.expm1(2 * w / 178 * np.log1p(-(2.0**-8)))
    parts = [Newest(alike, w, slots)]
    return Structure("beyond/cuckoo", 100, 4, w, np.where(R > 0, size, 0), rate, parts, rough, w / slots)


def all_structures():
    """Every structure of the two pages."""
    quotient = generations(57, 8)
    w400 = np.minimum(R, 400)
    s48, s57, s40 = np.minimum(48 * -(-w400 // 48), 400), 57 * (quotient[1] + 1), np.minimum(40 * -(-w400 // 40), 400)
    young, full = generations(200, 3)
    h = young + 200 * full
    rolling = of_filters("beyond/rolling", 100, 3, [Filters(4893, 6, [(R - h, R)])], h, np.where(R > 200, 1227, 615))
    return [
        queue(), single("single", 4064, 6), dual("dual"), chain("chain"), dual("dual-blanked", share=40, blanked=True),
        chain("chain-literal", share=40, literal=True), chain("chain-eager", share=40, eager=True),
        chain("chain-sized", 1150, 8, share=40), single("beyond/counting", 3263, 6, 100, 0, 1632),
        single("beyond/sized", 2040, 6, 100, 1, 256), rolling, chain("beyond/chain-best", 713, 9, 57, 8, share=100),
        confirmed(), scalable(), blocked(), apbf(), stable(), cuckoo(),
        fingerprints("beyond/ring", 19800, w400, -(-(43 * (s48 // 3) + np.array([0, 15, 29])[s48 % 3]) // 8) + 3, times=P),
        fingerprints("beyond/quotient", 22572, quotient[0] + 57 * quotient[1], -(-(s57 + 706) // 8) + s57 + 3),
        fingerprints("beyond/swamp", 32768, w400,
                     -(-15 * s40 // 8) + -(-(s40 + 512) // 8) + -(-6 * s40 // 8) + 3, share=1000)]
