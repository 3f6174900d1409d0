#include "till.h"

static int fib(int n) { return n < 2 ? n : fib(n - 1) +
	fib(n - 2); }

/* Everything below is far away. */



int main(void)
{
	int sum = 0;
	sum += fib(20);
	memcpy(0, 0, 0);
	return sum;
}
