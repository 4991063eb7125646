//! fastbloom answers the questions that ../README.md lists.
//!
//! Articles are hashed already, so filters take them by `insert_hash` and `contains_hash`. Keys of other shapes go
//! through std's hasher, whose state takes no bytes of a filter.

use fastbloom::BloomFilter;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::{array, env, fs, io, time::Instant};

const SHOWN: usize = 500;
const REQUEST: usize = 40;
const NEWEST: usize = 100;

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
    fn has(&self, id: u64) -> bool {
        self.links.iter().any(|link| link.contains_hash(id))
    }

    fn record(&mut self, id: u64, articles: usize) {
        if self.count == articles {
            (self.active, self.count) = ((self.active + 1) % L, 0);
            self.links[self.active].clear();
        }
        self.links[self.active].insert_hash(id);
        self.count += 1;
    }
}

fn serve<const L: usize>(articles: usize, bits: usize, hashes: u32) {
    let newcomer = || Memory::<L> { links: array::from_fn(|_| filter(bits, hashes)), active: 0, count: 0 };
    let mut users = Vec::new();
    for line in io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let (n, data): (usize, _) = (words[1].parse().unwrap(), fs::read(words[2]).unwrap());
        let (mut keys, mut rest) = (Vec::new(), &data[..]);
        while let Some((&length, tail)) = rest.split_first() {
            keys.push(&tail[..length as usize]);
            rest = &tail[length as usize..];
        }
        let ids: Vec<u64> = keys.iter().map_while(|&key| Some(u64::from_le_bytes(key.try_into().ok()?))).collect();
        let (mut seen, mut user) = (vec![false; ids.len()], newcomer());
        let begin = Instant::now();
        let (took, found) = match words[0] {
            "users" => {
                users = (0..n).map(|_| newcomer()).collect();
                for (user, ids) in users.iter_mut().zip(ids.chunks(SHOWN).cycle()) {
                    ids.iter().for_each(|&id| user.record(id, articles));
                }
                (0, 0)
            }
            "ask" => {
                for (r, (request, seen)) in ids.chunks(REQUEST).zip(seen.chunks_mut(REQUEST)).enumerate() {
                    let user = &users[r % users.len()];
                    seen.iter_mut().zip(request).for_each(|(s, &id)| *s = user.has(id));
                }
                (begin.elapsed().as_nanos() as usize, seen.iter().filter(|&&s| s).count())
            }
            "record" => {
                ids.iter().for_each(|&id| user.record(id, articles));
                let took = begin.elapsed().as_nanos() as usize;
                (took, ids[ids.len() - NEWEST..].iter().filter(|&&id| user.has(id)).count())
            }
            _ => {
                let (own, others) = keys.split_at(SHOWN);
                let mut filter = filter(bits, hashes);
                own.iter().for_each(|key| _ = filter.insert(*key));
                let has = |keys: &[&[u8]]| keys.iter().filter(|key| filter.contains(**key)).count();
                (has(others), SHOWN - has(own))
            }
        };
        println!("{took} {found}");
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
