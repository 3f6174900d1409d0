/* Small files of perf.data and what they should be read as, a line for each event. */
#ifndef WK_TEST_PERF_LINES_H
#define WK_TEST_PERF_LINES_H

#include "perf_maker.h"

#define USUAL_TYPE                                                                                 \
	(WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID | WK_PERF_SAMPLE_TIME | WK_PERF_SAMPLE_CPU |       \
	 WK_PERF_SAMPLE_PERIOD)
#define STRIDE 144

static const struct perf_attr_fields usual = {
	.type = WK_PERF_TYPE_SOFTWARE,
	.sample_type = USUAL_TYPE,
	.flags = WK_PERF_FLAG_SAMPLE_ID_ALL,
};

static inline void begin_with(struct perf_maker *m, const struct perf_attr_fields *attr)
{
	perf_begin_file(m, STRIDE, 1);
	put_attr(m, attr, STRIDE - 16);
	put64(m, 0); /* no ids */
	put64(m, 0);
	perf_begin_data(m);
}

static inline void begin(struct perf_maker *m)
{
	begin_with(m, &usual);
}

static inline void add_sample(struct perf_maker *m, uint64_t time_ns, uint64_t address)
{
	perf_record(m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(m, address);
	put32(m, 10, 11);
	put64(m, time_ns);
	put32(m, 3, 0);
	put64(m, 500);
	perf_end_record(m);
}

/* Of the usual attr: TID, TIME, CPU. */
static inline void add_trailer(struct perf_maker *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	put32(m, pid, tid);
	put64(m, time_ns);
	put32(m, 2, 0);
}

static inline void add_comm(struct perf_maker *m, uint32_t misc, uint32_t pid, uint32_t tid,
			    const char *name, uint64_t time_ns)
{
	perf_record(m, WK_PERF_COMM, misc);
	put32(m, pid, tid);
	put_text(m, name);
	add_trailer(m, pid, tid, time_ns);
	perf_end_record(m);
}

static inline void add_task(struct perf_maker *m, uint32_t type, uint32_t pid, uint32_t ppid,
			    uint32_t tid, uint64_t time_ns)
{
	perf_record(m, type, 0);
	put32(m, pid, ppid);
	put32(m, tid, ppid);
	put64(m, time_ns);
	add_trailer(m, pid, tid, time_ns);
	perf_end_record(m);
}

/* All of the answer but the lines that begin with `left_out` must be `expected`. */
static inline void check_without(struct perf_maker *m, const char *left_out, const char *expected)
{
	struct wk_buf text = perf_told(&m->out), kept = { 0 };

	for (const char *line = wk_buf_text(&text); *line;) {
		const char *end = strchr(line, '\n') + 1;

		if (strncmp(line, left_out, strlen(left_out)) != 0)
			wk_buf_add(&kept, line, (size_t)(end - line));
		line = end;
	}
	assert_string_equal(wk_buf_text(&kept), expected);
	wk_buf_fini(&text);
	wk_buf_fini(&kept);
	wk_buf_fini(&m->out);
	m->out = (struct wk_buf){ 0 };
}

static inline void check(struct perf_maker *m, const char *expected)
{
	perf_end(m);
	check_without(m, "source ", expected);
}

#define SAMPLE(time, address)                                                                      \
	"sample time=" time " pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "                  \
	"address=0x" address "\n"

static inline void add_mapping(struct perf_maker *m, uint32_t misc, uint32_t pid, const char *path,
			       const uint8_t *identity)
{
	perf_record(m, identity ? WK_PERF_MMAP2 : WK_PERF_MMAP, misc);
	put32(m, pid, pid);
	put64(m, 0x400000);
	put64(m, 0x1000);
	put64(m, 0x2000);
	if (identity) {
		wk_buf_add(&m->out, identity, 24);
		put32(m, 5, 2);
	}
	put_text(m, path);
	add_trailer(m, pid, pid, 50);
	perf_end_record(m);
}

/* Device 8:1 and inode 7, which begins as a build id of 8 bytes would. */
static const uint8_t inode_field[24] = { 8, 0, 0, 0, 1, 0, 0, 0, 7 };
static const uint8_t build_id_field[24] = { 20, 0, 0, 0, 0xab, 0xcd };

#define MAPPED                                                                                     \
	"image time=50 pid=10 tid=10 start=0x400000 size=0x1000 offset=0x2000 path=\"/bin/ls\""

static inline void check_as(struct perf_maker *m, struct wk_read_options options,
			    const char *expected)
{
	struct wk_buf told;

	perf_end(m);
	told = perf_told_as(&m->out, (struct wk_parts){ 0 }, options);
	if (!strstr(wk_buf_text(&told), expected))
		fail_msg("expected: %s\ncame:\n%s", expected, wk_buf_text(&told));
	wk_buf_fini(&told);
	wk_buf_fini(&m->out);
}

#endif
