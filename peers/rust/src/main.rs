//! fastbloom answers the questions that ../README.md describes. Articles are hashed already: filters take them by
//! `insert_hash` and `contains_hash`. Keys of other shapes go through std's hasher, whose state takes no bytes of a filter.

use fastbloom::BloomFilter;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::{env, fs, io, time::Instant};

const REQUEST: usize = 40;

type Filter = BloomFilter<BuildHasherDefault<DefaultHasher>>;

/// A user's memory: links, of which the active one takes articles. When it is full, the oldest is cleared.
struct Memory {
    links: Vec<Filter>,
    active: usize,
    count: usize,
}

impl Memory {
    fn link(&mut self, articles: usize) -> &mut Filter {
        if self.count == articles {
            (self.active, self.count) = ((self.active + 1) % self.links.len(), 0);
            self.links[self.active].clear();
        }
        self.count += 1;
        &mut self.links[self.active]
    }
}

/// Shows each user `each` keys, the first `shown` in turn, and asks about the others.
fn answer<K: Copy>(
    users: &mut [Memory], each: usize, shown: usize, articles: usize, keys: &[K],
    add: impl Fn(&mut Filter, K), has: impl Fn(&Filter, K) -> bool,
) {
    let mut seen = vec![b'0'; keys.len() - shown];
    let begin = Instant::now();
    let mut next = keys[..shown].iter().cycle();
    for user in users.iter_mut() {
        next.by_ref().take(each).for_each(|&key| add(user.link(articles), key));
    }
    let recorded = begin.elapsed();
    let begin = Instant::now();
    for (r, (request, seen)) in keys[shown..].chunks(REQUEST).zip(seen.chunks_mut(REQUEST)).enumerate() {
        let user = &users[r % users.len()];
        for (s, &key) in seen.iter_mut().zip(request) {
            *s += user.links.iter().any(|link| has(link, key)) as u8;
        }
    }
    let asked = begin.elapsed();
    println!("{} {} {}", recorded.as_nanos(), asked.as_nanos(), String::from_utf8(seen).unwrap());
}

fn main() {
    let n: Vec<usize> = env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let filter = || BloomFilter::with_num_bits(n[2]).hasher(Default::default()).hashes(n[3] as u32);
    println!("{} {}", filter().num_bits(), filter().num_hashes());
    let newcomer = || Memory { links: (0..n[0]).map(|_| filter()).collect(), active: 0, count: 0 };
    let mut _users = Vec::new(); // who stay alive until the next question
    for line in io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let q: Vec<usize> = words[..3].iter().map(|n| n.parse().unwrap()).collect();
        let data = fs::read(words[3]).unwrap();
        let (mut keys, mut rest) = (Vec::new(), &data[..]);
        while let Some((&length, tail)) = rest.split_first() {
            keys.push(&tail[..length as usize]);
            rest = &tail[length as usize..];
        }
        let mut users: Vec<_> = (0..q[0]).map(|_| newcomer()).collect();
        if words[3] == "keys" {
            answer(&mut users, q[1], q[2], n[1], &keys, |f, key| _ = f.insert(key), |f, key| f.contains(key));
        } else {
            let ids: Vec<u64> = keys.iter().map(|&key| u64::from_le_bytes(key.try_into().unwrap())).collect();
            answer(&mut users, q[1], q[2], n[1], &ids, |f, id| _ = f.insert_hash(id), |f, id| f.contains_hash(id));
        }
        _users = users;
    }
}
