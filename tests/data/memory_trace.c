/* Writes memory.etl (README.md): a trace of Windows with the events of memory, heaps, switches and
 * marks, as the reference has them.
 *
 *	memory_trace OUT */
#include "../unit/etl_kernel_events.h"
#include "write_trace.h"

#define EDITOR 100
#define SERVER 200

#define MAIN  0x10100u /* of editor.exe and of server.exe */
#define OPEN  0x10200u
#define UNDO  0x10300u
#define CACHE 0x30100u /* of cache.dll, in both */
#define ALLOC 0x50100u /* of ntdll.dll, in both */

#define KILOBYTES 1024u
#define RESERVE   0x2000u
#define COMMIT    0x1000u
#define DECOMMIT  0x4000u
#define RELEASE   0x8000u

static void stack_at(struct etl_maker *m, uint64_t time, uint32_t pid, uint32_t tid, uint64_t inner,
		     uint64_t outer)
{
	uint64_t frames[] = { ALLOC, inner, outer, MAIN };

	etl_stacked(m, 0x1820, time + 5, ETL_T0 + time, pid, tid, frames, outer ? 4 : 2);
}

/* By thread `pid` + 1, in `inner` that `outer` called. */
static void memory(struct etl_maker *m, uint64_t ms, uint32_t pid, uint64_t base, uint64_t bytes,
		   uint32_t flags, uint64_t inner, uint64_t outer)
{
	uint16_t hook = flags & (DECOMMIT | RELEASE) ? 0x0263 : 0x0262;

	etl_virtual(m, hook, ms * ETL_MS, base, bytes, pid, flags);
	stack_at(m, ms * ETL_MS, pid, pid + 1, inner, outer);
}

static void begin(struct etl_maker *m)
{
	static const uint32_t pids[] = { EDITOR, SERVER };

	etl_begin_file(m);
	etl_process(m, 0x0303, 0, EDITOR, 4, 0x103, "editor.exe");
	etl_process(m, 0x0303, 0, SERVER, 4, 0x103, "server.exe");
	for (size_t i = 0; i < 2; i++) {
		etl_thread(m, 0x0503, 0, pids[i], pids[i] + 1, i ? "listener" : "painter");
		etl_image(m, 0x1403, 0, pids[i], 0x10000,
			  i ? "C:\\app\\server.exe" : "C:\\app\\editor.exe");
		etl_image(m, 0x1403, 0, pids[i], 0x30000, "C:\\app\\cache.dll");
		etl_image(m, 0x1403, 0, pids[i], 0x50000, "C:\\Windows\\System32\\ntdll.dll");
	}
	etl_end_buffer(m, 0);
}

static void use_memory(struct etl_maker *m)
{
	memory(m, 100, EDITOR, 0x1000000, 1024 * KILOBYTES, RESERVE, OPEN, MAIN);
	memory(m, 110, EDITOR, 0x1000000, 256 * KILOBYTES, COMMIT, CACHE, OPEN);
	memory(m, 120, EDITOR, 0x1000000, 512 * KILOBYTES, COMMIT, CACHE, UNDO);
	memory(m, 130, SERVER, 0x1000000, 64 * KILOBYTES, RESERVE | COMMIT, CACHE, OPEN);
	memory(m, 200, EDITOR, 0x1020000, 128 * KILOBYTES, DECOMMIT, UNDO, MAIN);
	memory(m, 210, SERVER, 0x2000000, 2048 * KILOBYTES, RESERVE | COMMIT, OPEN, MAIN);
	memory(m, 300, SERVER, 0x2000000, 0, RELEASE, OPEN, MAIN);
	etl_mark(m, 310 * ETL_MS, "half way, \"more\" to come");
	memory(m, 400, EDITOR, 0x3000000, 16 * KILOBYTES, RESERVE | COMMIT, OPEN, MAIN);
	etl_end_buffer(m, 0);
}

/* Of the maker's process 100 and thread 101. */
static void use_heap(struct etl_maker *m)
{
	etl_heap(m, 0x1020, 420 * ETL_MS, 0x900000);
	for (uint64_t i = 0; i < 5; i++) {
		uint64_t time = (430 + 10 * i) * ETL_MS;

		etl_heap_alloc(m, time, 0x900000, 0x900100 + i * 0x1000, 1000 + i);
		stack_at(m, time, EDITOR, EDITOR + 1, i % 2 ? UNDO : CACHE, OPEN);
	}
	etl_heap_realloc(m, 490 * ETL_MS, 0x900000, 0x900100, 1000, 0x990000, 5000);
	stack_at(m, 490 * ETL_MS, EDITOR, EDITOR + 1, UNDO, MAIN);
	etl_heap_free(m, 500 * ETL_MS, 0x900000, 0x901100);
	etl_heap_alloc(m, 510 * ETL_MS, 0xa00000, 0xa00100, 77);
	etl_end_buffer(m, 0);
}

static void use_processor(struct etl_maker *m)
{
	etl_switch(m, 600 * ETL_MS, EDITOR + 1, 0, 2, 0);
	etl_switch(m, 620 * ETL_MS, SERVER + 1, EDITOR + 1, 5, 6);
	etl_ready(m, 650 * ETL_MS, EDITOR + 1, 0);
	stack_at(m, 650 * ETL_MS, SERVER, SERVER + 1, OPEN, MAIN);
	etl_switch(m, 660 * ETL_MS, EDITOR + 1, SERVER + 1, 1, 32);
	stack_at(m, 660 * ETL_MS, EDITOR, EDITOR + 1, UNDO, MAIN);
	etl_switch(m, 700 * ETL_MS, SERVER + 1, EDITOR + 1, 5, 6);
	stack_at(m, 700 * ETL_MS, SERVER, SERVER + 1, 0x10400, MAIN);
	etl_sampled(m, 705 * ETL_MS, OPEN, SERVER + 1, 0);
	stack_at(m, 705 * ETL_MS, SERVER, SERVER + 1, OPEN, 0);
	etl_switch(m, 720 * ETL_MS, 0, SERVER + 1, 5, 6);
	etl_mark(m, 800 * ETL_MS, "done");
	etl_use(m, 0x0320, 899 * ETL_MS, SERVER, 3000 * KILOBYTES);
	etl_process(m, 0x0302, 900 * ETL_MS, SERVER, 4, 0, "server.exe");
	etl_use(m, 0x0321, 901 * ETL_MS, EDITOR, 2000 * KILOBYTES);
	etl_end_buffer(m, 0);
}

static void make(struct etl_maker *m)
{
	begin(m);
	use_memory(m);
	use_heap(m);
	use_processor(m);
}

int main(int argc, char **argv)
{
	return write_trace(argc, argv, make);
}
