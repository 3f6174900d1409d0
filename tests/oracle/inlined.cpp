/* Calls within calls, most of them inlined: templates, lambdas, methods, namespaces without a
 * name. Compiled in many ways by test_dwarf.py. */
#include <algorithm>
#include <cstdio>
#include <vector>

namespace {
struct Hidden {
	int value;
	__attribute__((noinline)) int scaled(int by) const
	{
		return value * by + 1;
	}
};

template <class T> __attribute__((noinline)) T twice(T t)
{
	return t + t;
}
} // namespace

namespace outer {
namespace inner {
class Widget {
public:
	virtual ~Widget() {}
	virtual int area(int width)
	{
		auto times = [width](int height) { return height * width; };
		std::vector<int> sizes{ 3, 1, 2, width };

		std::sort(sizes.begin(), sizes.end(), [](int a, int b) { return a > b; });
		return times(sizes[0]);
	}
};
} // namespace inner
} // namespace outer

static int run_local(int n)
{
	struct Local {
		__attribute__((noinline)) int flip(int a)
		{
			return a ^ 77;
		}
	};
	Local local;

	return local.flip(n);
}

extern "C" __attribute__((noinline)) int plain(int n)
{
	std::vector<std::vector<int>> rows(n, std::vector<int>(n, 1));
	int sum = 0;

	for (const auto &row : rows)
		sum += *std::max_element(row.begin(), row.end());
	return sum;
}

int main(int argc, char **)
{
	outer::inner::Widget widget;
	Hidden hidden{ argc };

	printf("%d\n", widget.area(argc) + hidden.scaled(3) + twice(argc) + run_local(argc) +
			       plain(argc) + (int)twice(1.5 * argc));
	return 0;
}
