// Two threads of ordinary work: text, hashing, sorting, recursion, allocation.
use std::collections::{BTreeMap, HashMap};
use std::env;
use std::thread;

#[derive(Debug, Clone)]
enum Tree {
    Leaf(u64),
    Node(Box<Tree>, Box<Tree>),
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn grow(random: &mut Random, depth: u32) -> Tree {
    if depth == 0 || random.next() % 16 == 0 {
        Tree::Leaf(random.next())
    } else {
        Tree::Node(Box::new(grow(random, depth - 1)), Box::new(grow(random, depth - 1)))
    }
}

fn sum(tree: &Tree) -> u64 {
    match tree {
        Tree::Leaf(value) => *value % 1000,
        Tree::Node(left, right) => sum(left).wrapping_add(sum(right)).rotate_left(1),
    }
}

fn print(tree: &Tree, out: &mut String) {
    match tree {
        Tree::Leaf(value) => out.push_str(&format!("{:x} ", value % 977)),
        Tree::Node(left, right) => {
            out.push('(');
            print(left, out);
            print(right, out);
            out.push(')');
        }
    }
}

fn count_words(text: &str) -> BTreeMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        if !word.is_empty() {
            *counts.entry(word.to_uppercase()).or_insert(0) += 1;
        }
    }
    counts.into_iter().collect()
}

fn sort_by_digits(words: &mut Vec<(String, usize)>) {
    words.sort_by(|a, b| {
        let left: usize = a.0.bytes().map(|b| b as usize).sum::<usize>() ^ a.1;
        let right: usize = b.0.bytes().map(|b| b as usize).sum::<usize>() ^ b.1;
        left.cmp(&right).then_with(|| a.0.cmp(&b.0))
    });
}

fn work(seed: u64, rounds: u64) -> u64 {
    let mut random = Random(seed);
    let mut total = 0u64;
    for _ in 0..rounds {
        let tree = grow(&mut random, 14);
        let mut text = String::new();
        print(&tree, &mut text);
        let mut words: Vec<(String, usize)> = count_words(&text).into_iter().collect();
        sort_by_digits(&mut words);
        total = total.wrapping_add(sum(&tree)).wrapping_add(words.len() as u64);
    }
    total
}

fn main() {
    let rounds: u64 = env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(150);
    let threads: Vec<_> = (0..2)
        .map(|i| {
            thread::Builder::new()
                .name(format!("worker-{}", i))
                .spawn(move || work(0x9e3779b97f4a7c15 + i, rounds))
                .unwrap()
        })
        .collect();
    let total = threads.into_iter().fold(0u64, |sum, t| sum.wrapping_add(t.join().unwrap()));
    println!("{}", total);
}
