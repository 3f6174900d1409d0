//! A program worth a flame graph: it writes itself a library of made-up books, and then two
//! threads work on it. One builds a word index and answers searches, the other parses the
//! library's catalogue and sorts it in several ways. Only std, default release settings.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

const SYLLABLES: [&str; 16] = [
    "ka", "lo", "mir", "ten", "sa", "vu", "pel", "or", "in", "dra", "qui", "ste", "fa", "ble",
    "no", "wex",
];

/// A small generator of numbers, so that every run does the same work.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn word(&mut self) -> String {
        let count = 1 + self.roll(3);
        (0..count).map(|_| SYLLABLES[self.roll(16) as usize]).collect()
    }
}

fn write_book(dice: &mut Dice, words: usize) -> String {
    let mut text = String::new();
    for i in 0..words {
        if i > 0 {
            text.push(if dice.roll(12) == 0 { '\n' } else { ' ' });
        }
        text.push_str(&dice.word());
    }
    text
}

fn write_catalogue(dice: &mut Dice, rows: usize) -> String {
    let mut text = String::new();
    for id in 0..rows {
        let (title, author) = (dice.word(), dice.word());
        let (year, price) = (1800 + dice.roll(225), dice.roll(10_000));
        text.push_str(&format!("{};{} {};{};{}.{:02}\n", id, title, author, year, price / 100, price % 100));
    }
    text
}

type Index = HashMap<String, Vec<(u32, u32)>>;

#[inline(never)]
fn index_books(books: &[String]) -> Index {
    let mut index = Index::new();
    for (number, book) in books.iter().enumerate() {
        for (place, word) in book.split_whitespace().enumerate() {
            let entry = index.entry(word.to_string()).or_default();
            entry.push((number as u32, place as u32));
        }
    }
    index
}

/// Books that hold the two words side by side.
#[inline(never)]
fn search_pair(index: &Index, first: &str, second: &str) -> usize {
    let (a, b) = match (index.get(first), index.get(second)) {
        (Some(a), Some(b)) => (a, b),
        _ => return 0,
    };
    let mut hits = 0;
    let mut j = 0;
    for &(book, place) in a {
        while j < b.len() && b[j] < (book, place + 1) {
            j += 1;
        }
        if j < b.len() && b[j] == (book, place + 1) {
            hits += 1;
        }
    }
    hits
}

fn librarian(books: &[String], until: Instant) -> (usize, usize) {
    let mut dice = Dice(99);
    let (mut rounds, mut hits) = (0, 0);
    while Instant::now() < until {
        let index = index_books(books);
        for _ in 0..400 {
            hits += search_pair(&index, &dice.word(), &dice.word());
        }
        rounds += 1;
    }
    (rounds, hits)
}

#[derive(Clone)]
struct Row {
    id: u32,
    title: String,
    year: u16,
    price: f64,
}

#[inline(never)]
fn parse_row(line: &str) -> Option<Row> {
    let mut fields = line.split(';');
    Some(Row {
        id: fields.next()?.parse().ok()?,
        title: fields.next()?.to_string(),
        year: fields.next()?.parse().ok()?,
        price: fields.next()?.parse().ok()?,
    })
}

#[inline(never)]
fn parse_catalogue(text: &str) -> Vec<Row> {
    text.lines().filter_map(parse_row).collect()
}

#[inline(never)]
fn sort_by_title(rows: &mut [Row]) {
    rows.sort_by(|a, b| a.title.cmp(&b.title).then(a.year.cmp(&b.year)));
}

#[inline(never)]
fn sort_by_price(rows: &mut [Row]) {
    rows.sort_by(|a, b| a.price.total_cmp(&b.price).then(a.id.cmp(&b.id)));
}

/// The middle price of each century.
#[inline(never)]
fn middle_prices(rows: &[Row]) -> Vec<(u16, f64)> {
    let mut centuries: HashMap<u16, Vec<f64>> = HashMap::new();
    for row in rows {
        centuries.entry(row.year / 100).or_default().push(row.price);
    }
    let mut answer: Vec<_> = centuries
        .into_iter()
        .map(|(century, prices)| (century, prices[prices.len() / 2]))
        .collect();
    answer.sort_by_key(|&(century, _)| century);
    answer
}

fn accountant(catalogue: &str, until: Instant) -> (usize, f64) {
    let (mut rounds, mut sum) = (0, 0.0);
    while Instant::now() < until {
        let mut rows = parse_catalogue(catalogue);
        sort_by_title(&mut rows);
        sort_by_price(&mut rows);
        sum += middle_prices(&rows).iter().map(|&(_, price)| price).sum::<f64>();
        rounds += 1;
    }
    (rounds, sum)
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let mut dice = Dice(0x5eed);
    let books: Vec<String> = (0..60).map(|_| write_book(&mut dice, 4_000)).collect();
    let catalogue = write_catalogue(&mut dice, 40_000);
    let until = Instant::now() + Duration::from_secs_f64(seconds);

    let indexing = thread::Builder::new()
        .name("librarian".to_string())
        .spawn(move || librarian(&books, until))
        .expect("a thread for the books");
    let sorting = thread::Builder::new()
        .name("accountant".to_string())
        .spawn(move || accountant(&catalogue, until))
        .expect("a thread for the catalogue");
    let (indexed, hits) = indexing.join().expect("the librarian");
    let (sorted, sum) = sorting.join().expect("the accountant");

    println!("indexed {} times with {} hits, sorted {} times to {:.2}", indexed, hits, sorted, sum);
}
