#include "record/heap/fairness.h"

#include <sched.h>

#include "base/buf.h"
#include "base/num.h"
#include "os/os.h"

#define STAY_NS UINT64_C(20000000)

/* How many threads of the system run or wait for a processor; 0: unknown. */
static uint64_t count_running(void)
{
	struct wk_buf text = { 0 };
	struct wk_str left, running;
	uint64_t count = 0;

	/* "0.20 0.18 0.12 3/170 1234": the fourth word. */
	if (wk_os_read_small("/proc/loadavg", &text)) {
		left = wk_buf_str(&text);
		for (int i = 0; i < 3; i++)
			wk_str_cut(&left, ' ');
		running = wk_str_cut(&left, '/');
		if (!wk_num_u64(running, &count))
			count = 0;
	}
	wk_buf_fini(&text);
	return count;
}

/* Another processor is allowed again at once: it is only where the thread wakes next. */
static void move_on(const cpu_set_t *allowed)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	do
		cpu = (cpu + 1) % CPU_SETSIZE;
	while (!CPU_ISSET(cpu, allowed));
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == 0)
		sched_setaffinity(0, sizeof(*allowed), allowed);
}

void wk_heap_be_fair(uint64_t *moved_ns, uint64_t now_ns)
{
	cpu_set_t allowed;
	int cpus;

	if (now_ns - *moved_ns < STAY_NS)
		return;
	*moved_ns = now_ns;
	/* It fails on machines with more processors than a set of this size has. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return;
	cpus = CPU_COUNT(&allowed);
	if (cpus > 1 && count_running() > (uint64_t)cpus)
		move_on(&allowed);
}
