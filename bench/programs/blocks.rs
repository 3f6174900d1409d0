// Boxes, strings and maps that come and go: what a Rust program allocates as a rule. The argument
// says how often.
use std::collections::HashMap;
use std::env;

fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn work() {
    let mut state = 88172645463325252u64;
    let mut words: HashMap<String, Vec<u64>> = HashMap::new();
    let mut boxes: Vec<Box<[u64; 8]>> = Vec::new();
    for i in 0..600_000u64 {
        let word = format!("{:x}", draw(&mut state) % 20_000);
        words.entry(word).or_default().push(i);
        if i % 3 == 0 {
            boxes.push(Box::new([i; 8]));
        }
        if i % 7 == 0 && boxes.len() > 1000 {
            let at = draw(&mut state) as usize % boxes.len();
            boxes.swap_remove(at);
        }
    }
    let sum: u64 = words.values().map(|list| list.iter().sum::<u64>()).sum();
    println!("{} {} {}", words.len(), boxes.len(), sum);
}

fn main() {
    let times = env::args().nth(1).map_or(1, |word| word.parse().unwrap());
    for _ in 0..times {
        work();
    }
}
