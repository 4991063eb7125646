//! fastbloom answers the question that ../README.md describes.
//!
//! Articles are hashed already, so filters take them by `insert_hash` and `contains_hash`. Keys of other shapes go
//! through std's hasher, whose state takes no bytes of a filter.

use fastbloom::BloomFilter;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::{array, env, fs, io, time::Instant};

const REQUEST: usize = 40;

type Filter = BloomFilter<BuildHasherDefault<DefaultHasher>>;

fn filter(bits: usize, hashes: u32) -> Filter {
    BloomFilter::with_num_bits(bits).hasher(Default::default()).hashes(hashes)
}

/// A user's memory: L links, of which the active one takes articles. When it is full, the oldest is cleared.
struct Memory<const L: usize> {
    links: [Filter; L],
    active: usize,
    count: usize,
}

impl<const L: usize> Memory<L> {
    fn link(&mut self, articles: usize) -> &mut Filter {
        if self.count == articles {
            (self.active, self.count) = ((self.active + 1) % L, 0);
            self.links[self.active].clear();
        }
        self.count += 1;
        &mut self.links[self.active]
    }
}

/// Shows each user `each` keys, the first `shown` in turn, and asks about the others.
fn answer<K: Copy, const L: usize>(
    users: &mut [Memory<L>], each: usize, shown: usize, articles: usize, keys: &[K],
    add: impl Fn(&mut Filter, K), has: impl Fn(&Filter, K) -> bool,
) {
    let (shown, asked) = keys.split_at(shown);
    let mut seen = vec![b'0'; asked.len()];
    let begin = Instant::now();
    let mut next = shown.iter().cycle();
    for user in users.iter_mut() {
        next.by_ref().take(each).for_each(|&key| add(user.link(articles), key));
    }
    let recorded = begin.elapsed();
    let begin = Instant::now();
    for (r, (request, seen)) in asked.chunks(REQUEST).zip(seen.chunks_mut(REQUEST)).enumerate() {
        let user = &users[r % users.len()];
        for (s, &key) in seen.iter_mut().zip(request) {
            *s += user.links.iter().any(|link| has(link, key)) as u8;
        }
    }
    let asked = begin.elapsed();
    println!("{} {} {}", recorded.as_nanos(), asked.as_nanos(), String::from_utf8(seen).unwrap());
}

fn serve<const L: usize>(articles: usize, bits: usize, hashes: u32) {
    let newcomer = |_| Memory::<L> { links: array::from_fn(|_| filter(bits, hashes)), active: 0, count: 0 };
    let mut _users = Vec::new(); // who stay alive until the next question
    for line in io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let n: Vec<usize> = words[..3].iter().map(|n| n.parse().unwrap()).collect();
        let data = fs::read(words[3]).unwrap();
        let (mut keys, mut rest) = (Vec::new(), &data[..]);
        while let Some((&length, tail)) = rest.split_first() {
            keys.push(&tail[..length as usize]);
            rest = &tail[length as usize..];
        }
        let mut users: Vec<_> = (0..n[0]).map(newcomer).collect();
        if words[3] == "keys" {
            answer(&mut users, n[1], n[2], articles, &keys, |f, key| _ = f.insert(key), |f, key| f.contains(key));
        } else {
            let ids: Vec<u64> = keys.iter().map(|&key| u64::from_le_bytes(key.try_into().unwrap())).collect();
            answer(&mut users, n[1], n[2], articles, &ids, |f, id| _ = f.insert_hash(id), |f, id| f.contains_hash(id));
        }
        _users = users;
    }
}

fn main() {
    let n: Vec<usize> = env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let filter = filter(n[2], n[3] as u32);
    println!("{} {}", filter.num_bits(), filter.num_hashes());
    match n[0] {
        1 => serve::<1>(n[1], n[2], n[3] as u32),
        _ => serve::<5>(n[1], n[2], n[3] as u32),
    }
}
