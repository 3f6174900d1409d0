/* The kernel's events of which no real trace is at hand: switches, memory, faults, heaps,
 * interrupts, counters. Records, and a whole trace of them. */
#ifndef WK_TEST_ETL_KERNEL_EVENTS_H
#define WK_TEST_ETL_KERNEL_EVENTS_H

#include "etl_events.h"

/* With a header that says whose it is. */
static inline void etl_by(struct etl_maker *m, uint16_t hook, uint64_t time, uint32_t pid,
			  uint32_t tid, const struct wk_buf *payload)
{
	size_t at = etl_system(m, 2, hook, ETL_T0 + time);

	lz_put_at(&m->records, at + 8, tid, 4);
	lz_put_at(&m->records, at + 12, pid, 4);
	wk_buf_add(&m->records, payload->at, payload->len);
	etl_end(m, at, 4);
}

/* With a header that does not. */
static inline void etl_by_nobody(struct etl_maker *m, uint16_t hook, uint64_t time,
				 const struct wk_buf *payload)
{
	size_t at = etl_perf_info(m, 17, 2, hook, ETL_T0 + time);

	wk_buf_add(&m->records, payload->at, payload->len);
	etl_end(m, at, 4);
}

/* The buffer is thrown away. */
static inline void etl_by_nobody_once(struct etl_maker *m, uint16_t hook, uint64_t time,
				      struct wk_buf *payload)
{
	etl_by_nobody(m, hook, time, payload);
	wk_buf_fini(payload);
}

/* `state` and `reason` are those of the thread that ran until then. */
static inline void etl_switch(struct etl_maker *m, uint64_t time, uint32_t new_tid,
			      uint32_t old_tid, uint8_t state, uint8_t reason)
{
	struct wk_buf p = { 0 };

	put(&p, new_tid, 4);
	put(&p, old_tid, 4);
	put(&p, 0x08090a0b, 4);
	put(&p, reason, 1);
	put(&p, 1, 1);
	put(&p, state, 1);
	put(&p, 0, 9);
	etl_by_nobody_once(m, 0x0524, time, &p);
}

static inline void etl_ready(struct etl_maker *m, uint64_t time, uint32_t tid, uint8_t flags)
{
	struct wk_buf p = { 0 };

	put(&p, tid, 4);
	put(&p, 0x0102, 2);
	put(&p, flags, 1);
	put(&p, 0, 1);
	etl_by_nobody_once(m, 0x0532, time, &p);
}

static inline void put_virtual(struct wk_buf *p, uint64_t base, uint64_t size, uint32_t pid,
			       uint32_t flags)
{
	put(p, base, 8);
	put(p, size, 8);
	put(p, pid, 4);
	put(p, flags, 4);
}

/* VirtualAlloc, VirtualFree or what there was. */
static inline void etl_virtual(struct etl_maker *m, uint16_t hook, uint64_t time, uint64_t base,
			       uint64_t size, uint32_t pid, uint32_t flags)
{
	struct wk_buf p = { 0 };

	put_virtual(&p, base, size, pid, flags);
	etl_by_nobody_once(m, hook, time, &p);
}

/* Counters of a process: what it has of memory is `bytes` and more, each in its place. */
static inline void etl_use(struct etl_maker *m, uint16_t hook, uint64_t time, uint32_t pid,
			   uint64_t bytes)
{
	struct wk_buf p = { 0 };

	put(&p, pid, 4);
	put(&p, 1234, 4);
	put(&p, 56, 4);
	put(&p, 0, 4);
	for (uint64_t i = 0; i < 11; i++)
		put(&p, bytes + i, 8);
	etl_by(m, hook, time, pid, pid + 1, &p);
	wk_buf_fini(&p);
}

static inline void etl_fault(struct etl_maker *m, uint16_t hook, uint64_t time, uint64_t address,
			     uint64_t program_counter)
{
	struct wk_buf p = { 0 };

	put(&p, address, 8);
	put(&p, program_counter, 8);
	etl_by_nobody_once(m, hook, time, &p);
}

static inline void etl_hard_fault(struct etl_maker *m, uint64_t time, uint64_t address,
				  uint32_t tid, uint32_t bytes)
{
	struct wk_buf p = { 0 };

	put(&p, ETL_T0 + time - 100, 8);
	put(&p, 0x2000, 8);
	put(&p, address, 8);
	put(&p, 0xffffc00000001000, 8);
	put(&p, tid, 4);
	put(&p, bytes, 4);
	etl_by_nobody_once(m, 0x0220, time, &p);
}

/* DPC or ISR: it ends at `time`. */
static inline void etl_interrupt(struct etl_maker *m, uint16_t hook, uint64_t time,
				 uint64_t duration, uint64_t routine)
{
	struct wk_buf p = { 0 };

	put(&p, ETL_T0 + time - duration, 8);
	put(&p, routine, 8);
	if (hook == 0x0f43)
		put(&p, 1, 4);
	etl_by_nobody_once(m, hook, time, &p);
}

static inline void etl_interval_change(struct etl_maker *m, uint16_t hook, uint64_t time,
				       uint32_t source, uint32_t interval, uint32_t before,
				       const char *name)
{
	struct wk_buf p = { 0 };

	put(&p, source, 4);
	put(&p, interval, 4);
	put(&p, before, 4);
	put_text16(&p, name);
	etl_by_nobody_once(m, hook, time, &p);
}

static inline void etl_interval(struct etl_maker *m, uint64_t time, uint32_t source,
				uint32_t interval, const char *name)
{
	etl_interval_change(m, 0x0f49, time, source, interval, interval, name);
}

static inline void etl_counted(struct etl_maker *m, uint64_t time, uint64_t address, uint32_t tid,
			       uint16_t source)
{
	struct wk_buf p = { 0 };

	put(&p, address, 8);
	put(&p, tid, 4);
	put(&p, source, 2);
	put(&p, 0, 2);
	etl_by_nobody_once(m, 0x0f2f, time, &p);
}

/* Two samples in one record. */
static inline void etl_cached(struct etl_maker *m, uint64_t time, uint64_t address, uint32_t tid)
{
	struct wk_buf p = { 0 };

	put(&p, 2, 8);
	for (uint64_t i = 0; i < 2; i++) {
		put(&p, address + i, 8);
		put(&p, tid, 4);
		put(&p, 3 + i, 4);
	}
	put(&p, 0, 16);
	etl_by_nobody_once(m, 0x0f37, time, &p);
}

static inline void etl_mark(struct etl_maker *m, uint64_t time, const char *label)
{
	static const struct wk_guid perf_info = {
		0xce1dbfb4, 0x137e, 0x4da6, { 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc } };
	struct wk_buf p = { 0 };

	put_text8(&p, label);
	etl_classic(m, &perf_info, 34, time, &p);
	wk_buf_fini(&p);
}

/* Create (0x1020), destroy (0x1023). */
static inline void etl_heap(struct etl_maker *m, uint16_t hook, uint64_t time, uint64_t heap)
{
	struct wk_buf p = { 0 };

	put(&p, heap, 8);
	if (hook == 0x1020)
		put(&p, 0, 4 + 3 * 8);
	etl_by(m, hook, time, 100, 101, &p);
	wk_buf_fini(&p);
}

static inline void etl_heap_alloc(struct etl_maker *m, uint64_t time, uint64_t heap,
				  uint64_t address, uint64_t size)
{
	struct wk_buf p = { 0 };

	put(&p, heap, 8);
	put(&p, size, 8);
	put(&p, address, 8);
	put(&p, 2, 4);
	etl_by(m, 0x1021, time, 100, 101, &p);
	wk_buf_fini(&p);
}

static inline void etl_heap_realloc(struct etl_maker *m, uint64_t time, uint64_t heap, uint64_t old,
				    uint64_t old_size, uint64_t address, uint64_t size)
{
	struct wk_buf p = { 0 };

	put(&p, heap, 8);
	put(&p, address, 8);
	put(&p, old, 8);
	put(&p, size, 8);
	put(&p, old_size, 8);
	put(&p, 6, 4);
	etl_by(m, 0x1022, time, 100, 101, &p);
	wk_buf_fini(&p);
}

static inline void etl_heap_free(struct etl_maker *m, uint64_t time, uint64_t heap,
				 uint64_t address)
{
	struct wk_buf p = { 0 };

	put(&p, heap, 8);
	put(&p, address, 8);
	put(&p, 2, 4);
	etl_by(m, 0x1024, time, 100, 101, &p);
	wk_buf_fini(&p);
}

static inline void etl_stack_of(struct etl_maker *m, uint64_t time, uint64_t of, uint32_t pid,
				uint32_t tid, uint64_t address)
{
	etl_stacked(m, 0x1820, time, ETL_T0 + of, pid, tid, &address, 1);
}

static inline void etl_make_waits(struct etl_maker *m)
{
	etl_switch(m, 10 * ETL_MS, 101, 0, 2, 0);
	etl_switch(m, 20 * ETL_MS, 0, 101, 5, 6);
	etl_interrupt(m, 0x0f43, 24 * ETL_MS, 300, ETL_KERNEL_BASE + 0x40);
	etl_interrupt(m, 0x0f44, 25 * ETL_MS, 500, ETL_KERNEL_BASE + 0x44);
	etl_ready(m, 25 * ETL_MS + 1, 101, 1);
	etl_switch(m, 30 * ETL_MS, 101, 0, 2, 0);
	etl_stack_of(m, 30 * ETL_MS + 2, 30 * ETL_MS, 100, 101, ETL_KERNEL_BASE + 0x10);
	etl_stack_of(m, 30 * ETL_MS + 3, 30 * ETL_MS, 100, 101, 0x10010);
	etl_ready(m, 31 * ETL_MS, 201, 0);
	etl_stack_of(m, 31 * ETL_MS + 2, 31 * ETL_MS, 100, 101, 0x10030);
	etl_switch(m, 32 * ETL_MS, 201, 101, 1, 32);
	etl_switch(m, 33 * ETL_MS, 101, 201, 4, 22);
}

/* Thread 101 runs: nothing else says so. */
static inline void etl_make_memory(struct etl_maker *m)
{
	etl_virtual(m, 0x0280, 34 * ETL_MS, 0x500000, 0x1000, 100, 0x3000);
	etl_virtual(m, 0x0262, 40 * ETL_MS, 0x600000, 0x10000, 100, 0x2000);
	etl_virtual(m, 0x0262, 41 * ETL_MS, 0x600000, 0x4000, 100, 0x1000);
	etl_stack_of(m, 41 * ETL_MS + 3, 41 * ETL_MS, 100, 101, 0x10050);
	etl_virtual(m, 0x0262, 42 * ETL_MS, 0x800000, 0x1000, 200, 0x103000);
	etl_virtual(m, 0x0263, 43 * ETL_MS, 0x600000, 0x1000, 100, 0x4000);
	etl_virtual(m, 0x0263, 44 * ETL_MS, 0x600000, 0, 100, 0x8000);
	etl_virtual(m, 0x0281, 45 * ETL_MS, 0x800000, 0x1000, 200, 0x1000);
	etl_fault(m, 0x020b, 50 * ETL_MS, 0x500010, 0x10060);
	etl_fault(m, 0x020a, 51 * ETL_MS, 0x500020, 0x10061);
	etl_fault(m, 0x020c, 52 * ETL_MS, 0x500030, 0x10062);
	etl_fault(m, 0x020d, 53 * ETL_MS, 0x500040, 0x10063);
	etl_fault(m, 0x020e, 54 * ETL_MS, 0x500050, 0x10064);
	etl_fault(m, 0x020f, 55 * ETL_MS, 0x500060, ETL_KERNEL_BASE + 0x50);
	etl_hard_fault(m, 56 * ETL_MS, 0x500070, 101, 0x8000);
	etl_stack_of(m, 56 * ETL_MS + 3, 56 * ETL_MS, 100, 101, 0x10070);
}

static inline void etl_make_heap(struct etl_maker *m)
{
	etl_heap(m, 0x1020, 60 * ETL_MS, 0x900000);
	etl_heap_alloc(m, 61 * ETL_MS, 0x900000, 0x900100, 64);
	etl_stack_of(m, 61 * ETL_MS + 3, 61 * ETL_MS, 100, 101, 0x10080);
	etl_heap_realloc(m, 62 * ETL_MS, 0x900000, 0x900100, 64, 0x900200, 128);
	etl_heap_free(m, 63 * ETL_MS, 0x900000, 0x900200);
	etl_heap(m, 0x1023, 64 * ETL_MS, 0x900000);
}

static inline void etl_make_counters(struct etl_maker *m)
{
	etl_interval(m, 70 * ETL_MS, 0, 20000, "Timer");
	etl_interval(m, 70 * ETL_MS, 19, 65536, "TotalCycles");
	etl_counted(m, 71 * ETL_MS, 0x10090, 101, 19);
	etl_counted(m, 72 * ETL_MS, 0x10091, 101, 7);
	etl_cached(m, 73 * ETL_MS, 0x10092, 101);
	etl_mark(m, 74 * ETL_MS, "half way");
}

/* Two processes, one of which does everything. */
static inline void etl_kernel_trace(struct etl_maker *m)
{
	struct wk_buf nothing = { 0 };

	etl_begin_file(m);
	etl_process(m, 0x0303, 0, 100, 4, 0x103, "app.exe");
	etl_process(m, 0x0303, 0, 200, 100, 0x103, "child.exe");
	etl_thread(m, 0x0503, 0, 100, 101, "");
	etl_thread(m, 0x0503, 0, 200, 201, "");
	etl_image(m, 0x1403, 0, 100, 0x10000, "\\Windows\\app.exe");
	etl_image(m, 0x1403, 0, 4, ETL_KERNEL_BASE, "\\SystemRoot\\x.sys");
	etl_make_waits(m);
	etl_end_buffer(m, 3);
	etl_make_memory(m);
	etl_make_heap(m);
	etl_make_counters(m);
	etl_use(m, 0x0320, 74 * ETL_MS, 200, 0x10000);
	etl_by_nobody(m, 0x0525, 75 * ETL_MS, &nothing);
	etl_by_nobody(m, 0x0999, 76 * ETL_MS, &nothing);
	etl_use(m, 0x0321, 77 * ETL_MS, 100, 0x20000);
	etl_end_buffer(m, 3);
}

#endif
