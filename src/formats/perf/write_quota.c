#include "formats/perf/write_internal.h"

#include "base/bytes.h"
#include "os/os.h"

/* How many of the records end within `quota` bytes; in bytes, and the samples among them. */
static size_t fitting(const struct wk_buf *records, uint64_t quota, uint64_t *samples)
{
	size_t at = 0;

	*samples = 0;
	while (records->len - at >= 8) {
		struct wk_bytes head = wk_bytes_of(records->at + at, 8);
		uint32_t type = wk_u32le(&head);
		size_t size;

		wk_bytes_skip(&head, 2);
		size = wk_u16le(&head);
		if (size < 8 || size > records->len - at || at + size > quota)
			break;
		*samples += type == WK_PERF_SAMPLE;
		at += size;
	}
	return at;
}

/* The size in the header is what makes records part of the file. */
static bool set_end(struct wk_perf_data_writer *writer, uint64_t data_bytes, uint64_t samples)
{
	struct wk_buf size = { 0 };
	bool ok;

	wk_buf_add_u64(&size, data_bytes);
	ok = wk_os_write_at(writer->fd, WK_PERF_HEAD_DATA_SIZE, size.at, size.len);
	wk_buf_fini(&size);
	if (ok) {
		writer->data_bytes = data_bytes;
		writer->data_samples = samples;
	}
	return ok;
}

static void add_mark(struct wk_perf_data_writer *writer)
{
	if (writer->mark_count == WK_PERF_WRITE_MARKS) {
		writer->mark_count--;
		memmove(writer->marks, writer->marks + 1,
			writer->mark_count * sizeof(writer->marks[0]));
	}
	writer->marks[writer->mark_count++] = (struct wk_perf_write_mark){
		.data_bytes = writer->data_bytes, .samples = writer->data_samples };
}

bool wk_perf_write_pending_is_there(struct wk_perf_data_writer *writer)
{
	uint64_t samples;
	size_t len = fitting(&writer->pending, writer->pending.len, &samples);

	if (!set_end(writer, writer->data_bytes + len, writer->data_samples + samples))
		return false;
	wk_buf_reset(&writer->pending);
	add_mark(writer);
	return true;
}

static struct wk_perf_write_mark last_mark(const struct wk_perf_data_writer *writer)
{
	return writer->mark_count ? writer->marks[writer->mark_count - 1]
				  : (struct wk_perf_write_mark){ 0 };
}

/* What is pending begins after the last mark; as much of it as ends by `data_bytes`. */
static bool cut_pending_to(struct wk_perf_data_writer *writer, uint64_t data_bytes)
{
	struct wk_perf_write_mark mark = last_mark(writer);
	uint64_t samples;
	size_t len = fitting(&writer->pending, data_bytes - mark.data_bytes, &samples);

	return set_end(writer, mark.data_bytes + len, mark.samples + samples);
}

void wk_perf_write_discard_excess(struct wk_perf_data_writer *writer)
{
	uint64_t end = writer->data_offset + writer->data_bytes;

	if (!wk_os_size(writer->fd, &writer->quota_bytes) || writer->quota_bytes < end)
		writer->quota_bytes = end;
	writer->is_full = true;
	(void)cut_pending_to(writer, writer->quota_bytes - writer->data_offset);
}

#define MOST_READ_BACK (64u << 20) /* bytes */

/* What is already written from the mark on; as much of it as ends by `most`. False, and nothing is
 * cut, if that would be less than `least`. */
static bool cut_written_to(struct wk_perf_data_writer *writer, struct wk_perf_write_mark mark,
			   uint64_t least, uint64_t most)
{
	struct wk_buf records = { 0 };
	uint64_t samples = 0, size = most - mark.data_bytes;
	size_t len = 0;

	if (size <= MOST_READ_BACK) {
		char *at = wk_buf_extend(&records, (size_t)size);

		if (wk_os_read_at(writer->fd, writer->data_offset + mark.data_bytes, at,
				  (size_t)size) == size)
			len = fitting(&records, size, &samples);
	}
	wk_buf_fini(&records);
	return mark.data_bytes + len >= least &&
	       set_end(writer, mark.data_bytes + len, mark.samples + samples);
}

bool wk_perf_write_reserve(struct wk_perf_data_writer *writer, uint64_t size_bytes)
{
	uint64_t quota = writer->quota_bytes - writer->data_offset;
	uint64_t least = writer->data_bytes / 2, most;
	struct wk_perf_write_mark before = { 0 };

	if (size_bytes > quota)
		return false;
	most = quota - size_bytes;
	if (writer->data_bytes <= most)
		return true;
	if (most < least)
		return false;
	if (last_mark(writer).data_bytes <= most)
		return cut_pending_to(writer, most);
	for (size_t i = 0; i < writer->mark_count && writer->marks[i].data_bytes <= most; i++)
		before = writer->marks[i];
	return cut_written_to(writer, before, least, most);
}
