// heap_throw CASE LOG: what C++ allocates, and exceptions through many frames.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heap_count.h"

namespace {

#define COUNTED __attribute__((section("heap_counted"), noinline))

COUNTED char *make_array(std::size_t size)
{
	char *array = new char[size];
	heap_count_allocated(HEAP_MALLOC, size);
	return array;
}

COUNTED void delete_array(char *array, std::size_t size)
{
	heap_count_freed(size);
	delete[] array;
}

struct alignas(128) wide {
	char bytes[256];
};

COUNTED wide *make_wide()
{
	wide *made = new wide;
	heap_count_allocated(HEAP_ALIGNED_ALLOC, sizeof(wide));
	return made;
}

COUNTED void delete_wide(wide *old)
{
	heap_count_freed(sizeof(wide));
	delete old;
}

// Lives in a frame that an exception leaves.
struct owner {
	char *array = make_array(700);
	owner() = default;
	owner(const owner &) = delete;
	owner &operator=(const owner &) = delete;
	~owner() { delete_array(array, 700); }
};

__attribute__((noinline)) int fall(int left)
{
	owner block;
	if (left == 0)
		throw std::runtime_error("from below");
	return fall(left - 1) + block.array[0];
}

void exceptions()
{
	for (int i = 0; i < 40; i++) {
		try {
			fall(50);
			std::abort();
		} catch (const std::exception &error) {
			make_array(701);
		}
		heap_free(heap_malloc(702), 702);
	}
}

volatile std::size_t too_much = static_cast<std::size_t>(-1) / 4;

void operators()
{
	for (int i = 0; i < 100; i++) {
		delete_wide(make_wide());
		delete_array(make_array(710), 710);
	}
	make_wide();
	try {
		std::printf("%p\n", static_cast<void *>(new char[too_much]));
		std::abort();
	} catch (const std::bad_alloc &) {
		make_array(711);
	}
}

thread_local std::string text = "longer than what a string has space for in itself";
thread_local owner late;

void locals()
{
	for (int i = 0; i < 200; i++)
		std::thread([] { late.array[0] = text[0]; }).join();
}

// Of these nothing is counted: they must do no harm.
void containers()
{
	std::map<std::string, std::vector<int>> all;
	for (int i = 0; i < 20000; i++)
		all["number " + std::to_string(i % 997)].push_back(i);
	std::size_t sum = 0;
	for (const auto &[name, numbers] : all)
		sum += name.size() * numbers.size();
	std::printf("%zu\n", sum);
}

const struct {
	const char *name;
	void (*work)();
} works[] = {
	{ "exceptions", exceptions },
	{ "operators", operators },
	{ "locals", locals },
	{ "containers", containers },
};

} // namespace

int main(int argc, char **argv)
{
	for (const auto &one : works)
		if (argc > 1 && std::strcmp(argv[1], one.name) == 0) {
			heap_count_begin(argc > 2 ? argv[2] : nullptr);
			one.work();
			heap_count_log();
			std::printf("%s done\n", one.name);
			return 7;
		}
	return 2;
}
