//! fastbloom's answers to the questions of package languages, which says what
//! the lines mean.
//!
//! Articles are 64-bit hashes already, so the filters take them by
//! `insert_hash` and `contains_hash`; keys of other shapes go through std's
//! hasher, whose state takes no bytes of a filter.

use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::io::{BufRead, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use fastbloom::BloomFilter;

const USERS: usize = 8; // asked in turn
const SHOWN: usize = 500; // articles of each
const REQUEST: usize = 40; // candidates
const SEGMENT: usize = 128; // requests between two looks at the clock
const RECORDS: usize = 1500; // articles between two looks at the clock
const NEWEST: usize = 100; // articles that must be recognised after recording

/// Counts the blocks that are alive on the heap.
struct Counting;

static OBJECTS: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        OBJECTS.fetch_add(1, Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        OBJECTS.fetch_add(1, Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        OBJECTS.fetch_sub(1, Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

type Filter = BloomFilter<BuildHasherDefault<DefaultHasher>>;

/// The bits and hashes of a filter, and the articles it is made for.
#[derive(Clone, Copy)]
struct Geometry {
    bits: usize,
    hashes: u32,
    articles: usize,
}

impl Geometry {
    fn filter(self) -> Filter {
        BloomFilter::with_num_bits(self.bits).hasher(Default::default()).hashes(self.hashes)
    }
}

/// A user's memory.
trait Memory {
    fn seen(&self, candidates: &[u64], seen: &mut [bool]);
    fn record(&mut self, articles: &[u64]);
}

/// One filter, emptied when it is to hold more than it is made for.
struct Single {
    filter: Filter,
    geometry: Geometry,
    count: usize,
}

impl Single {
    fn new(geometry: Geometry) -> Self {
        Single { filter: geometry.filter(), geometry, count: 0 }
    }
}

impl Memory for Single {
    fn seen(&self, candidates: &[u64], seen: &mut [bool]) {
        for (s, &id) in seen.iter_mut().zip(candidates) {
            *s = self.filter.contains_hash(id);
        }
    }

    fn record(&mut self, articles: &[u64]) {
        if self.count + articles.len() > self.geometry.articles {
            self.filter.clear();
            self.count = 0;
        }
        for &id in articles {
            self.filter.insert_hash(id);
        }
        self.count += articles.len();
    }
}

/// Five filters, of which the oldest is emptied when the newest is full.
struct Chain {
    links: [Filter; 5],
    geometry: Geometry,
    head: usize,
    count: usize,
}

impl Chain {
    fn new(geometry: Geometry) -> Self {
        Chain { links: std::array::from_fn(|_| geometry.filter()), geometry, head: 0, count: 0 }
    }
}

impl Memory for Chain {
    fn seen(&self, candidates: &[u64], seen: &mut [bool]) {
        for (s, &id) in seen.iter_mut().zip(candidates) {
            *s = self.links.iter().any(|link| link.contains_hash(id));
        }
    }

    fn record(&mut self, mut articles: &[u64]) {
        while !articles.is_empty() {
            if self.count == self.geometry.articles {
                self.head = (self.head + 1) % self.links.len();
                self.links[self.head].clear();
                self.count = 0;
            }
            let n = articles.len().min(self.geometry.articles - self.count);
            for &id in &articles[..n] {
                self.links[self.head].insert_hash(id);
            }
            self.count += n;
            articles = &articles[n..];
        }
    }
}

/// The lists of the file that the program is started with.
struct Lists {
    shown: Vec<u64>,
    questions: [(&'static str, Vec<u64>); 3],
    articles: Vec<u64>,
}

impl Lists {
    fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let data = fs::read(path)?;
        let mut words = data.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap()));
        let mut list = || -> Vec<u64> {
            let n = words.next().unwrap_or(0) as usize;
            words.by_ref().take(n).collect()
        };
        Ok(Lists {
            shown: list(),
            questions: [("unseen", list()), ("seen", list()), ("mixed", list())],
            articles: list(),
        })
    }
}

/// One kind of memories, and those that are timed.
struct Kind<M> {
    new: Box<dyn Fn() -> M>,
    users: Vec<M>,
    recorder: M,
}

impl<M: Memory> Kind<M> {
    fn new(lists: &Lists, new: impl Fn() -> M + 'static) -> Self {
        let users = lists.shown.chunks(SHOWN).map(|ids| {
            let mut memory = new();
            memory.record(ids);
            memory
        });
        Kind { users: users.collect(), recorder: new(), new: Box::new(new) }
    }

    fn answer(&mut self, lists: &Lists, words: &[&str]) -> Result<String, Box<dyn Error>> {
        match *words {
            ["ask", _, name] => {
                let list = lists.questions.iter().find(|q| q.0 == name).ok_or("no such list")?;
                Ok(self.ask(&list.1))
            }
            ["record", _, n] => Ok(self.record(&lists.articles, n.parse()?)),
            ["memory", _, n] => self.memory(&lists.articles, n.parse()?),
            _ => Err("no such question".into()),
        }
    }

    fn ask(&self, candidates: &[u64]) -> String {
        let mut seen = [false; REQUEST * SEGMENT];
        let (mut count, mut times) = (0, String::new());
        for segment in candidates.chunks_exact(REQUEST * SEGMENT) {
            let begin = Instant::now();
            for (r, request) in segment.chunks_exact(REQUEST).enumerate() {
                // A segment is a whole number of rounds of the users.
                self.users[r % USERS].seen(request, &mut seen[r * REQUEST..][..REQUEST]);
            }
            let _ = write!(times, " {}", begin.elapsed().as_nanos());
            count += seen.iter().filter(|&&s| s).count();
        }
        format!("{count}{times}")
    }

    fn record(&mut self, articles: &[u64], update: usize) -> String {
        let articles = &articles[..articles.len() / RECORDS * RECORDS];
        let mut times = String::new();
        for segment in articles.chunks_exact(RECORDS) {
            let begin = Instant::now();
            for ids in segment.chunks_exact(update) {
                self.recorder.record(ids);
            }
            let _ = write!(times, " {}", begin.elapsed().as_nanos());
        }
        let mut seen = [false; NEWEST];
        self.recorder.seen(&articles[articles.len() - NEWEST..], &mut seen);
        format!("{}{times}", seen.iter().filter(|&&s| s).count())
    }

    fn memory(&self, articles: &[u64], users: usize) -> Result<String, Box<dyn Error>> {
        let (bytes, objects) = (resident()?, OBJECTS.load(Relaxed));
        let mut memories = Vec::with_capacity(users);
        for user in 0..users {
            let mut memory = (self.new)();
            memory.record(&articles[user % (articles.len() - SHOWN)..][..SHOWN]);
            memories.push(memory);
        }
        Ok(format!("{} {}", resident()? - bytes, OBJECTS.load(Relaxed) - objects))
    }
}

/// Bytes of the process that lie in memory.
fn resident() -> Result<i64, Box<dyn Error>> {
    let pages: i64 = fs::read_to_string("/proc/self/statm")?.split(' ').nth(1).ok_or("/proc/self/statm is short")?.parse()?;
    Ok(4096 * pages)
}

/// For each filter of the file, how many keys of others it takes for its own,
/// and how many of its own it denies.
fn rates(geometry: Geometry, path: &str) -> Result<String, Box<dyn Error>> {
    let data = fs::read(path)?;
    let mut keys = Vec::new();
    let mut rest = &data[..];
    while let Some((&n, tail)) = rest.split_first() {
        let (key, tail) = tail.split_at(n as usize);
        keys.push(key);
        rest = tail;
    }
    let mut answer = String::new();
    for keys in keys.chunks_exact(2 * SHOWN) {
        let mut filter = geometry.filter();
        let (own, others) = keys.split_at(SHOWN);
        for key in own {
            filter.insert(*key);
        }
        let hits = others.iter().filter(|key| filter.contains(**key)).count();
        let denied = own.iter().filter(|key| !filter.contains(**key)).count();
        let _ = write!(answer, "{hits} {denied} ");
    }
    Ok(answer)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let lists = Lists::read(args.get(1).ok_or("want a file of lists, and two geometries")?)?;
    let numbers = args[2..].iter().map(|a| a.parse()).collect::<Result<Vec<usize>, _>>()?;
    let [one, link] = [&numbers[..3], &numbers[3..6]].map(|n| Geometry { bits: n[0], hashes: n[1] as u32, articles: n[2] });
    let mut single = Kind::new(&lists, move || Single::new(one));
    let mut chain = Kind::new(&lists, move || Chain::new(link));

    let [a, b] = [one.filter(), link.filter()];
    println!("{} {} {} {}", a.num_bits(), a.num_hashes(), b.num_bits(), b.num_hashes());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["rates", ..] => rates(one, &line["rates ".len()..]),
            [_, "single", _] => single.answer(&lists, &words),
            [_, "chain", _] => chain.answer(&lists, &words),
            _ => Err("no such question".into()),
        };
        match answer {
            Ok(answer) => println!("{answer}"),
            Err(err) => println!("error {err}"),
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}
