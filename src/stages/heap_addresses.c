#include "stages/heap_addresses.h"

#include "base/map.h"
#include "base/mem.h"
#include "formats/heap/heap_stacks.h"
#include "channel/stream.h"

struct process {
	uint32_t pid;
	uint64_t began_ns;
	struct wk_heap_stacks stacks;
	uint64_t *waiting; /* addresses that were not handed out yet */
	size_t waiting_count, waiting_cap;
};

struct wk_heap_addresses {
	struct process *processes;
	size_t count, cap;
	struct wk_map process_of; /* number to index + 1 */
	struct wk_map seen;       /* process and address: many stacks share one */
};

struct wk_heap_addresses *wk_heap_addresses_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_heap_addresses));
}

void wk_heap_addresses_free(struct wk_heap_addresses *addresses)
{
	if (!addresses)
		return;
	for (size_t i = 0; i < addresses->count; i++) {
		wk_heap_stacks_fini(&addresses->processes[i].stacks);
		wk_free(addresses->processes[i].waiting);
	}
	wk_free(addresses->processes);
	wk_map_fini(&addresses->process_of);
	wk_map_fini(&addresses->seen);
	wk_free(addresses);
}

/* What the definitions name for the first time. The stacks themselves are not needed: of a compiler
 * there are a million. */
static void keep_addresses(struct wk_heap_addresses *addresses, size_t i)
{
	struct process *process = &addresses->processes[i];
	struct wk_heap_stacks *stacks = &process->stacks;

	for (size_t k = 0; k < stacks->count; k++) {
		uint64_t pc = stacks->nodes[k].pc;
		uint32_t *seen;

		if (!pc)
			continue;
		seen = wk_map_at(&addresses->seen, pc ^ (uint64_t)(i + 1) << 48);
		if (!*seen)
			*WK_APPEND(process->waiting, process->waiting_count, process->waiting_cap) =
				pc - 1;
		*seen = 1;
	}
	stacks->count = stacks->run_count = 0;
}

static void add_row(struct wk_heap_addresses *addresses, struct wk_bytes row)
{
	uint8_t kind = wk_u8(&row);
	uint32_t number = wk_u32le(&row), *known;
	uint64_t position;

	if (kind != WK_HEAP_ROW_PROCESS && kind != WK_HEAP_ROW_DEFINITIONS)
		return;
	known = wk_map_at(&addresses->process_of, number);
	if (kind == WK_HEAP_ROW_PROCESS && !*known) {
		struct process process = { .pid = wk_u32le(&row), .began_ns = wk_u64le(&row) };

		*WK_APPEND(addresses->processes, addresses->count, addresses->cap) = process;
		*known = (uint32_t)addresses->count;
	} else if (kind == WK_HEAP_ROW_DEFINITIONS && *known) {
		position = wk_u64le(&row);
		wk_heap_stacks_add(&addresses->processes[*known - 1].stacks, position,
				   wk_bytes_slice(&row, wk_u32le(&row)));
		keep_addresses(addresses, *known - 1);
	}
}

void wk_heap_addresses_add(struct wk_heap_addresses *addresses, struct wk_str rows)
{
	struct wk_bytes left = wk_bytes_of(rows.at, rows.len);

	while (wk_bytes_left(&left))
		add_row(addresses, wk_bytes_slice(&left, wk_u32le(&left)));
}

static void take_process(struct wk_heap_addresses *addresses, size_t i, wk_heap_address_fn take,
			 void *context)
{
	struct process *process = &addresses->processes[i];

	for (size_t k = 0; k < process->waiting_count; k++)
		take(context, process->pid, process->waiting[k]);
	process->waiting_count = 0;
}

void wk_heap_addresses_take(struct wk_heap_addresses *addresses, wk_heap_address_fn take,
			    void *context)
{
	for (size_t i = 0; i < addresses->count; i++)
		take_process(addresses, i, take, context);
}

void wk_heap_addresses_take_of(struct wk_heap_addresses *addresses, uint32_t pid,
			       uint64_t before_ns, wk_heap_address_fn take, void *context)
{
	for (size_t i = 0; i < addresses->count; i++)
		if (addresses->processes[i].pid == pid &&
		    addresses->processes[i].began_ns < before_ns)
			take_process(addresses, i, take, context);
}
