"""C functions with two levels of inlined calls, for programs that readers of recordings agree on."""
CALLS = r"""
static inline __attribute__((always_inline)) double step(double x, int i)
{
	return x * 1.0000001 +
	       (double)(i % 7);
}
static inline __attribute__((always_inline)) double twice(double x, int i)
{
	double a = step(x, i);
	return step(a, i + 1);
}
__attribute__((noinline)) double work(int n)
{
	double x = 0;
	for (int i = 0; i < n; i++)
		x = twice(x, i);
	return x;
}
"""
