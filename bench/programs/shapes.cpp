// C++ at -O2: virtual calls, containers, closures, streams and exceptions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace shapes {

struct Shape {
	virtual ~Shape() = default;
	virtual double area(int detail) const = 0;
};

struct Circle : Shape {
	explicit Circle(double radius) : radius(radius) {}
	double area(int detail) const override
	{
		double sum = 0;
		for (int i = 1; i < detail; i++)
			sum += radius * radius / i - radius / (i + radius);
		return sum;
	}
	double radius;
};

struct Group : Shape {
	double area(int detail) const override
	{
		double sum = 0;
		for (const auto &member : members)
			sum += member->area(detail);
		return sum;
	}
	std::vector<std::unique_ptr<Shape>> members;
};

std::unique_ptr<Shape> build(int depth, unsigned &seed)
{
	if (depth == 0)
		return std::make_unique<Circle>(seed++ % 17 + 1);
	auto group = std::make_unique<Group>();
	for (int i = 0; i < 3; i++)
		group->members.push_back(build(depth - 1, seed));
	return group;
}

}

static unsigned long describe(const std::map<std::string, double> &areas)
{
	std::ostringstream out;
	for (const auto &[name, area] : areas)
		out << name << " = " << area << '\n';
	return std::hash<std::string>()(out.str());
}

static int check(int value)
{
	if (value % 5 == 0)
		throw std::runtime_error("divisible: " + std::to_string(value));
	return value;
}

static int guarded(int value)
{
	try {
		return check(value);
	} catch (const std::exception &fault) {
		return (int)std::string(fault.what()).size();
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 250;
	unsigned seed = 1;
	unsigned long total = 0;
	std::vector<std::function<unsigned long(int)>> steps = {
		[&](int round) {
			auto shape = shapes::build(6, seed);
			return (unsigned long)shape->area(200 + round % 50);
		},
		[&](int round) {
			std::map<std::string, double> areas;
			for (int i = 0; i < 2000; i++)
				areas["shape number " + std::to_string((i * 7919 + round) % 3001)] += i;
			return describe(areas);
		},
		[&](int round) {
			unsigned long sum = 0;
			for (int i = 0; i < 2000; i++)
				sum += guarded(i + round);
			return sum;
		},
		[&](int round) {
			std::vector<std::string> words;
			for (int i = 0; i < 8000; i++)
				words.push_back(std::to_string((i * 104729 + round) % 99991));
			std::sort(words.begin(), words.end(), [](const auto &a, const auto &b) {
				return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
			});
			return (unsigned long)words[17].size();
		},
	};

	for (int round = 0; round < rounds; round++)
		for (const auto &step : steps)
			total += step(round);
	printf("%lu\n", total);
}
