volatile int till;

static inline __attribute__((always_inline)) void pay(int coins)
{
	till += coins;
}

static inline __attribute__((always_inline)) void buy(int coins)
{
	pay(coins + 1);
}

__attribute__((noinline)) void shop(int coins)
{
	buy(coins);
}

int main(int argc, char **argv)
{
	(void)argv;
	shop(argc);
	return 0;
}
