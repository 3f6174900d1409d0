/* A small trace of Windows with each kind of event that wick makes something of, for tests and for
 * the seeds of the fuzz target. */
#ifndef WK_TEST_ETL_EVENTS_H
#define WK_TEST_ETL_EVENTS_H

#include "etl_maker.h"
#include "etl_payloads.h"

#define ETL_MS          10000u /* ticks */
#define ETL_KERNEL_BASE 0xfffff80000000000u

static inline void etl_kernel(struct etl_maker *m, uint16_t version, uint16_t hook, uint64_t time,
			      const struct wk_buf *payload)
{
	size_t at = etl_system(m, 2, hook, ETL_T0 + time);

	m->records.at[at] = (char)version;
	wk_buf_add(&m->records, payload->at, payload->len);
	etl_end(m, at, 4);
}

/* The number that stands in a record which began at `at`. */
static inline void etl_set_provider(struct etl_maker *m, size_t at, const struct wk_guid *guid)
{
	size_t provider = at + 24;

	lz_put_at(&m->records, provider, guid->a, 4);
	lz_put_at(&m->records, provider + 4, guid->b, 2);
	lz_put_at(&m->records, provider + 6, guid->c, 2);
	for (size_t i = 0; i < 8; i++)
		m->records.at[provider + 8 + i] = (char)guid->d[i];
}

/* Of a provider whose number is `guid`; for opcode and version of a Full header. */
static inline void etl_classic(struct etl_maker *m, const struct wk_guid *guid, uint8_t opcode,
			       uint64_t time, const struct wk_buf *payload)
{
	size_t at = etl_event(m, 20, (uint32_t)2 << 16 | opcode, ETL_T0 + time);

	etl_set_provider(m, at, guid);
	wk_buf_add_u64(&m->records, 0);
	wk_buf_add(&m->records, payload->at, payload->len);
	etl_end(m, at, 0);
}

static inline void etl_process(struct etl_maker *m, uint16_t hook, uint64_t time, uint32_t pid,
			       uint32_t parent, uint32_t status, const char *name)
{
	struct wk_buf p = { 0 };

	put(&p, pid * 16, 8);
	put(&p, pid, 4);
	put(&p, parent, 4);
	put(&p, 1, 4);
	put(&p, status, 4);
	put(&p, 0, 8);
	put(&p, 0, 4);
	put(&p, 0, 4);
	put_text8(&p, name);
	put_text16(&p, name);
	put_text16(&p, "");
	put_text16(&p, "");
	etl_kernel(m, 4, hook, time, &p);
	wk_buf_fini(&p);
}

static inline void etl_thread(struct etl_maker *m, uint16_t hook, uint64_t time, uint32_t pid,
			      uint32_t tid, const char *name)
{
	struct wk_buf p = { 0 };

	put(&p, pid, 4);
	put(&p, tid, 4);
	for (int i = 0; i < 7; i++)
		put(&p, 0, 8);
	put(&p, 0, 8);
	put_text16(&p, name);
	etl_kernel(m, 3, hook, time, &p);
	wk_buf_fini(&p);
}

static inline void etl_large_image(struct etl_maker *m, uint16_t hook, uint64_t time, uint32_t pid,
				   uint64_t base, uint64_t size_bytes, const char *path)
{
	struct wk_buf p = { 0 };

	put(&p, base, 8);
	put(&p, size_bytes, 8);
	put(&p, pid, 4);
	put(&p, 0, 12);
	put(&p, base, 8);
	put(&p, 0, 16);
	put_text16(&p, path);
	etl_kernel(m, 3, hook, time, &p);
	wk_buf_fini(&p);
}

static inline void etl_image(struct etl_maker *m, uint16_t hook, uint64_t time, uint32_t pid,
			     uint64_t base, const char *path)
{
	etl_large_image(m, hook, time, pid, base, 0x1000, path);
}

static inline void etl_sampled(struct etl_maker *m, uint64_t time, uint64_t address, uint32_t tid,
			       uint8_t flags)
{
	size_t at = etl_perf_info(m, 17, 2, 0x0f2e, ETL_T0 + time);

	put(&m->records, address, 8);
	put(&m->records, tid, 4);
	put(&m->records, 1, 2);
	put(&m->records, flags, 2);
	etl_end(m, at, 4);
}

/* A stack (0x1820), the use of a key (0x1825, 0x1826) or its definition (0x1823, 0x1824): `of` is
 * when the event was, or the key. */
static inline void etl_stacked(struct etl_maker *m, uint16_t hook, uint64_t time, uint64_t of,
			       uint32_t pid, uint32_t tid, const uint64_t *values, size_t count)
{
	size_t at = etl_perf_info(m, 17, 2, hook, ETL_T0 + time);

	put(&m->records, of, 8);
	if (pid || tid) {
		put(&m->records, pid, 4);
		put(&m->records, tid, 4);
	}
	for (size_t i = 0; i < count; i++)
		put(&m->records, values[i], 8);
	etl_end(m, at, 4);
}

static inline void etl_volume(struct etl_maker *m, const char *kernel, const char *shown)
{
	static const struct wk_guid guid = {
		0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } };
	struct wk_buf p = { 0 };

	put_text16(&p, kernel);
	put_text16(&p, shown);
	etl_classic(m, &guid, 35, 0, &p);
	wk_buf_fini(&p);
}

static const struct wk_guid etl_image_ids = {
	0xb3e675d7, 0x2554, 0x4f18, { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } };

/* Which PDB an image was linked with. */
static inline void etl_pdb_at(struct etl_maker *m, uint64_t time, uint32_t pid, uint64_t base,
			      const uint8_t *guid, uint32_t age, const char *path)
{
	struct wk_buf p = { 0 };

	put(&p, base, 8);
	put(&p, pid, 4);
	wk_buf_add(&p, guid, 16);
	put(&p, age, 4);
	put_text8(&p, path);
	etl_classic(m, &etl_image_ids, 36, time, &p);
	wk_buf_fini(&p);
}

static inline void etl_pdb_of(struct etl_maker *m, uint32_t pid, uint64_t base, const uint8_t *guid,
			      uint32_t age, const char *path)
{
	etl_pdb_at(m, 0, pid, base, guid, age, path);
}

/* The key of its file. */
static inline void etl_key_at(struct etl_maker *m, uint64_t time, uint32_t pid, uint64_t base,
			      uint32_t size_bytes, uint32_t time_stamp, const char *name)
{
	struct wk_buf p = { 0 };

	put(&p, base, 8);
	put(&p, size_bytes, 8);
	put(&p, pid, 4);
	put(&p, time_stamp, 4);
	put_text16(&p, name);
	etl_classic(m, &etl_image_ids, 0, time, &p);
	wk_buf_fini(&p);
}

static inline void etl_key_of(struct etl_maker *m, uint32_t pid, uint64_t base, uint32_t size_bytes,
			      uint32_t time_stamp, const char *name)
{
	etl_key_at(m, 0, pid, base, size_bytes, time_stamp, name);
}

static inline void etl_debug_id(struct etl_maker *m, uint32_t pid, uint64_t base)
{
	uint8_t guid[16];

	for (uint8_t i = 0; i < 16; i++)
		guid[i] = (uint8_t)(0xa0 + i);
	etl_pdb_of(m, pid, base, guid, 3, "c:\\out\\app.pdb");
}

/* What a session writes: changes while it runs, what there is when it ends. */
static inline void etl_whole_trace(struct etl_maker *m)
{
	static const uint64_t key[] = { 0x77 }, kernel[] = { ETL_KERNEL_BASE + 0x20 };
	static const uint64_t user[] = { 0x10010, 0x10020 }, other[] = { 0x20010 };

	etl_begin_file(m);
	etl_volume(m, "\\SystemRoot\\", "C:\\Windows\\");
	etl_volume(m, "\\Device\\HarddiskVolume3\\", "C:\\");
	etl_sampled(m, 10 * ETL_MS, 0x10010, 101, 0);
	etl_stacked(m, 0x1820, 11 * ETL_MS, ETL_T0 + 10 * ETL_MS, 100, 101, kernel, 1);
	etl_stacked(m, 0x1826, 12 * ETL_MS, ETL_T0 + 10 * ETL_MS, 100, 101, key, 1);
	etl_sampled(m, 13 * ETL_MS, ETL_KERNEL_BASE + 0x30, 0, 0);
	etl_sampled(m, 14 * ETL_MS, ETL_KERNEL_BASE + 0x30, 0, 1);
	etl_stacked(m, 0x1823, 15 * ETL_MS, 0x77, 0, 0, user, 2);
	etl_process(m, 0x0301, 20 * ETL_MS, 200, 100, 0x103, "child.exe");
	etl_thread(m, 0x0501, 20 * ETL_MS, 200, 201, "");
	etl_image(m, 0x030a, 21 * ETL_MS, 200, 0x20000, "\\Device\\HarddiskVolume3\\child.exe");
	etl_end_buffer(m, 0);
	etl_sampled(m, 22 * ETL_MS, 0x20010, 201, 0);
	etl_stacked(m, 0x1826, 23 * ETL_MS, ETL_T0 + 22 * ETL_MS, 200, 201, key, 1);
	etl_image(m, 0x1402, 24 * ETL_MS, 200, 0x20000, "\\Device\\HarddiskVolume3\\child.exe");
	etl_thread(m, 0x0502, 25 * ETL_MS, 200, 201, "");
	etl_process(m, 0x0302, 26 * ETL_MS, 200, 100, 7, "child.exe");
	etl_process(m, 0x0304, 30 * ETL_MS, 100, 4, 0x103, "app.exe");
	etl_thread(m, 0x0504, 30 * ETL_MS, 100, 101, "worker");
	etl_image(m, 0x1404, 30 * ETL_MS, 100, 0x10000, "\\Windows\\app.exe");
	etl_image(m, 0x1404, 30 * ETL_MS, 4, ETL_KERNEL_BASE, "\\SystemRoot\\x.sys");
	etl_debug_id(m, 100, 0x10000);
	etl_key_of(m, 100, 0x10000, 0x1000, 0x5f000001, "app.exe");
	etl_stacked(m, 0x1824, 31 * ETL_MS, 0x77, 0, 0, other, 1);
	etl_end_buffer(m, 1);
}

#endif
