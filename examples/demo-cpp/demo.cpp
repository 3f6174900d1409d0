// The same work as examples/demo-rust, for machines without cargo: two threads, one that builds
// a word index of made-up books and answers searches, one that parses a catalogue and sorts it.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

using Clock = std::chrono::steady_clock;

// A small generator of numbers, so that every run does the same work.
class Dice {
public:
	explicit Dice(uint64_t seed) : state(seed) {}

	uint64_t roll(uint64_t sides)
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return state % sides;
	}

	std::string word()
	{
		static const char *const syllables[] = { "ka", "lo", "mir", "ten", "sa", "vu",
							 "pel", "or", "in", "dra", "qui", "ste",
							 "fa", "ble", "no", "wex" };
		std::string text;

		for (uint64_t count = 1 + roll(3); count > 0; count--)
			text += syllables[roll(16)];
		return text;
	}

private:
	uint64_t state;
};

static std::string write_book(Dice &dice, int words)
{
	std::string text;

	while (words-- > 0)
		text += dice.word() + (dice.roll(12) == 0 ? '\n' : ' ');
	return text;
}

static std::string write_catalogue(Dice &dice, int rows)
{
	std::ostringstream text;

	for (int id = 0; id < rows; id++)
		text << id << ';' << dice.word() << ' ' << dice.word() << ';' << 1800 + dice.roll(225)
		     << ';' << dice.roll(100) << '.' << 10 + dice.roll(90) << '\n';
	return text.str();
}

using Place = std::pair<uint32_t, uint32_t>;
using Index = std::unordered_map<std::string, std::vector<Place>>;

[[gnu::noinline]] static Index index_books(const std::vector<std::string> &books)
{
	Index index;

	for (uint32_t number = 0; number < books.size(); number++) {
		std::istringstream words(books[number]);
		std::string word;

		for (uint32_t place = 0; words >> word; place++)
			index[word].emplace_back(number, place);
	}
	return index;
}

// How often the two words stand side by side.
[[gnu::noinline]] static size_t search_pair(const Index &index, const std::string &first,
					    const std::string &second)
{
	auto a = index.find(first), b = index.find(second);
	size_t hits = 0;

	if (a == index.end() || b == index.end())
		return 0;
	for (const Place &place : a->second)
		hits += std::binary_search(b->second.begin(), b->second.end(),
					   Place(place.first, place.second + 1));
	return hits;
}

static size_t librarian(const std::vector<std::string> &books, Clock::time_point until)
{
	Dice dice(99);
	size_t hits = 0;

	while (Clock::now() < until) {
		Index index = index_books(books);

		for (int i = 0; i < 400; i++)
			hits += search_pair(index, dice.word(), dice.word());
	}
	return hits;
}

struct Row {
	int id, year;
	std::string title;
	double price;
};

[[gnu::noinline]] static Row parse_row(const std::string &line)
{
	std::istringstream fields(line);
	std::string id, title, year, price;

	std::getline(fields, id, ';');
	std::getline(fields, title, ';');
	std::getline(fields, year, ';');
	std::getline(fields, price, ';');
	return { std::stoi(id), std::stoi(year), title, std::stod(price) };
}

[[gnu::noinline]] static std::vector<Row> parse_catalogue(const std::string &text)
{
	std::istringstream lines(text);
	std::vector<Row> rows;
	std::string line;

	while (std::getline(lines, line))
		rows.push_back(parse_row(line));
	return rows;
}

[[gnu::noinline]] static void sort_by_title(std::vector<Row> &rows)
{
	std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
		return std::tie(a.title, a.year) < std::tie(b.title, b.year);
	});
}

[[gnu::noinline]] static void sort_by_price(std::vector<Row> &rows)
{
	std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
		return std::tie(a.price, a.id) < std::tie(b.price, b.id);
	});
}

// The sum of the middle prices of all centuries.
[[gnu::noinline]] static double middle_prices(const std::vector<Row> &rows)
{
	std::map<int, std::vector<double>> centuries;
	double sum = 0;

	for (const Row &row : rows)
		centuries[row.year / 100].push_back(row.price);
	for (const auto &century : centuries)
		sum += century.second[century.second.size() / 2];
	return sum;
}

static double accountant(const std::string &catalogue, Clock::time_point until)
{
	double sum = 0;

	while (Clock::now() < until) {
		std::vector<Row> rows = parse_catalogue(catalogue);

		sort_by_title(rows);
		sort_by_price(rows);
		sum += middle_prices(rows);
	}
	return sum;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? std::atof(argv[1]) : 2.0;
	Dice dice(0x5eed);
	std::vector<std::string> books;
	size_t hits = 0;
	double sum = 0;

	for (int i = 0; i < 60; i++)
		books.push_back(write_book(dice, 4000));
	std::string catalogue = write_catalogue(dice, 40000);
	auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
					    std::chrono::duration<double>(seconds));

	std::thread indexing([&] { hits = librarian(books, until); });
	std::thread sorting([&] { sum = accountant(catalogue, until); });
	indexing.join();
	sorting.join();
	std::printf("%zu hits, %.2f\n", hits, sum);
	return 0;
}
