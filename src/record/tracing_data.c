#include "record/tracing_data.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"
#include "record/tracefs.h"

#define MAGIC "\x17\x08\x44tracing0.6" /* and a NUL */

struct writer {
	const char *root;
	const struct wk_perf_event *events;
	size_t count;
	struct wk_buf *out;
	struct wk_err *err;
	bool ok;
};

static void add_word(struct wk_buf *out, const char *word)
{
	wk_buf_add(out, word, strlen(word) + 1);
}

static void add_size(struct wk_buf *out, size_t size, size_t bytes)
{
	if (bytes == 4)
		wk_buf_add_u32(out, (uint32_t)size);
	else
		wk_buf_add_u64(out, size);
}

/* A file behind its size, which has 4 or 8 bytes. */
static bool add_file(struct writer *writer, const char *path, size_t bytes)
{
	struct wk_buf text = { 0 };
	char whole[512];
	bool ok;

	snprintf(whole, sizeof(whole), "%s/%s", writer->root, path);
	ok = wk_os_read_small(whole, &text);
	if (!ok)
		wk_buf_reset(&text);
	add_size(writer->out, text.len, bytes);
	wk_buf_add_str(writer->out, wk_buf_str(&text));
	wk_buf_fini(&text);
	return ok;
}

static void add_needed_file(struct writer *writer, const char *path)
{
	if (!writer->ok || add_file(writer, path, 8))
		return;
	writer->ok = false;
	wk_fail(writer->err, WK_EPERM, WK_NOWHERE, "%s/%s cannot be read", writer->root, path);
}

/* Is a tracepoint of the same system, and of the same name if `by_name`, among the first `before`?
 */
static bool is_among(const struct writer *writer, const struct wk_perf_event *event, size_t before,
		     bool by_name)
{
	for (size_t i = 0; i < before; i++) {
		const struct wk_perf_event *other = &writer->events[i];

		if (other->is_tracepoint && strcmp(other->system, event->system) == 0 &&
		    (!by_name || strcmp(other->point, event->point) == 0))
			return true;
	}
	return false;
}

/* Does event number `index` belong to the system, and is it there for the first time? */
static bool is_new_of(const struct writer *writer, size_t index, const char *system)
{
	const struct wk_perf_event *event = &writer->events[index];

	return event->is_tracepoint && strcmp(event->system, system) == 0 &&
	       !is_among(writer, event, index, true);
}

static void add_system(struct writer *writer, const char *system)
{
	uint32_t points = 0;

	for (size_t i = 0; i < writer->count; i++)
		points += is_new_of(writer, i, system);
	add_word(writer->out, system);
	wk_buf_add_u32(writer->out, points);
	for (size_t i = 0; i < writer->count; i++) {
		char path[2 * WK_PERF_NAME_MAX + 32];

		if (!is_new_of(writer, i, system))
			continue;
		snprintf(path, sizeof(path), "events/%s/%s/format", system,
			 writer->events[i].point);
		add_needed_file(writer, path);
	}
}

static bool begins_system(const struct writer *writer, size_t index)
{
	const struct wk_perf_event *event = &writer->events[index];

	return event->is_tracepoint && !is_among(writer, event, index, false);
}

static void add_systems(struct writer *writer)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < writer->count; i++)
		systems += begins_system(writer, i);
	wk_buf_add_u32(writer->out, systems);
	for (size_t i = 0; i < writer->count; i++)
		if (begins_system(writer, i))
			add_system(writer, writer->events[i].system);
}

static void add_head(struct wk_buf *out)
{
	const uint16_t one = 1;
	bool is_little;

	memcpy(&is_little, &one, 1);
	wk_buf_add(out, MAGIC, sizeof(MAGIC));
	wk_buf_add_char(out, (char)!is_little);
	wk_buf_add_char(out, (char)sizeof(long));
	wk_buf_add_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
}

bool wk_tracing_data_add_at(const char *root, const struct wk_perf_event *events, size_t count,
			    struct wk_buf *out, struct wk_err *err)
{
	struct writer writer = { root, events, count, out, err, true };
	size_t before = out->len;

	add_head(out);
	add_word(out, "header_page");
	add_needed_file(&writer, "events/header_page");
	add_word(out, "header_event");
	add_needed_file(&writer, "events/header_event");
	wk_buf_add_u32(out, 0); /* formats of ftrace's own events */
	add_systems(&writer);
	wk_buf_add_u32(out, 0);                       /* functions: perf writes none */
	(void)add_file(&writer, "printk_formats", 4); /* few events need it */
	wk_buf_add_u64(out, 0);                       /* names of threads: COMM records have them */
	if (!writer.ok)
		out->len = before;
	return writer.ok;
}

bool wk_tracing_data_add(const struct wk_perf_event *events, size_t count, struct wk_buf *out,
			 struct wk_err *err)
{
	const char *root = wk_tracefs_root(err);

	return root && wk_tracing_data_add_at(root, events, count, out, err);
}
