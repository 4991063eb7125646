//! fastbloom answers the questions that ../README.md lists.
//!
//! Articles are hashed already, so filters take them by `insert_hash` and `contains_hash`. Keys of other shapes go
//! through std's hasher, whose state takes no bytes of a filter.

use fastbloom::BloomFilter;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::{array, env, fs, io, time::Instant};

const SHOWN: usize = 500;
const REQUEST: usize = 40;
const SEGMENT: usize = 128;
const RECORDS: usize = 1500;
const NEWEST: usize = 100;

type Filter = BloomFilter<BuildHasherDefault<DefaultHasher>>;

fn filter(bits: usize, hashes: u32) -> Filter {
    BloomFilter::with_num_bits(bits).hasher(Default::default()).hashes(hashes)
}

/// A user's: L links that hold the given number of articles. The oldest is cleared when the newest is full.
struct Memory<const L: usize> {
    links: [Filter; L],
    articles: usize,
    count: usize,
}

impl<const L: usize> Memory<L> {
    fn has(&self, id: u64) -> bool {
        self.links.iter().any(|link| link.contains_hash(id))
    }

    fn record(&mut self, mut ids: &[u64]) {
        while !ids.is_empty() {
            let link = &mut self.links[self.count / self.articles % L];
            if self.count >= L * self.articles && self.count % self.articles == 0 {
                link.clear();
            }
            let (now, later) = ids.split_at(ids.len().min(self.articles - self.count % self.articles));
            for &id in now {
                link.insert_hash(id);
            }
            self.count += now.len();
            ids = later;
        }
    }
}

fn keys(data: &[u8]) -> Vec<&[u8]> {
    let (mut all, mut rest) = (Vec::new(), data);
    while let Some((&length, tail)) = rest.split_first() {
        all.push(&tail[..length as usize]);
        rest = &tail[length as usize..];
    }
    all
}

fn timed(mut work: impl FnMut()) {
    let begin = Instant::now();
    work();
    print!("{} ", begin.elapsed().as_nanos());
}

fn serve<const L: usize>(articles: usize, bits: usize, hashes: u32) {
    let newcomer = || Memory::<L> { links: array::from_fn(|_| filter(bits, hashes)), articles, count: 0 };
    let mut users = Vec::new();
    let mut seen = [false; REQUEST * SEGMENT];
    for line in io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let (n, data): (usize, _) = (words[1].parse().unwrap(), fs::read(words[2]).unwrap());
        let keys = keys(&data);
        let id = |key: &&[u8]| u64::from_le_bytes((*key).try_into().unwrap());
        let ids: Vec<u64> = if words[0] == "rates" { vec![] } else { keys.iter().map(id).collect() };
        match words[0] {
            "users" => {
                users = (0..n).map(|_| newcomer()).collect();
                users.iter_mut().zip(ids.chunks(SHOWN).cycle()).for_each(|(user, ids)| user.record(ids));
            }
            "ask" => {
                let mut count = 0;
                for segment in ids.chunks(REQUEST * SEGMENT) {
                    timed(|| {
                        for (r, request) in segment.chunks_exact(REQUEST).enumerate() {
                            let user = &users[r % users.len()]; // a segment is whole rounds of the users
                            for (s, &id) in seen[r * REQUEST..].iter_mut().zip(request) {
                                *s = user.has(id);
                            }
                        }
                    });
                    count += seen.iter().filter(|&&s| s).count();
                }
                print!("{count}");
            }
            "record" => {
                let mut user = newcomer();
                for segment in ids.chunks(RECORDS) {
                    timed(|| segment.chunks(n).for_each(|ids| user.record(ids)));
                }
                print!("{}", ids[ids.len() - NEWEST..].iter().filter(|&&id| user.has(id)).count());
            }
            _ => {
                for (own, others) in keys.chunks_exact(2 * SHOWN).map(|keys| keys.split_at(SHOWN)) {
                    let mut filter = filter(bits, hashes);
                    own.iter().for_each(|key| _ = filter.insert(*key));
                    let has = |keys: &[&[u8]]| keys.iter().filter(|key| filter.contains(**key)).count();
                    print!("{} {} ", has(others), SHOWN - has(own));
                }
            }
        }
        println!();
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
