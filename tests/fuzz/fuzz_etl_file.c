/* Any bytes as a trace of Windows, or as two of one recording (cut where the last byte says): its
 * records are read twice, every byte of them, and are the same both times. So are those of some of
 * its buffers, wherever only those are read again. */
#include <stdlib.h>

#include "formats/etl/file/file.h"

static uint64_t sum(uint64_t so_far, struct wk_bytes bytes)
{
	for (; bytes.at < bytes.end; bytes.at++)
		so_far = so_far * 31 + *bytes.at;
	return so_far;
}

/* `*some` is what it is of records that are wanted again. */
static uint64_t read_all(struct wk_etl_file *etl, uint64_t *count, uint64_t *some)
{
	struct wk_etl_record r;
	uint64_t so_far = 0;

	*count = *some = 0;
	while (wk_etl_next(etl, &r)) {
		if (r.item_count > WK_ETL_MOST_ITEMS)
			abort();
		so_far = sum(so_far, r.payload) + r.time + r.pid + wk_etl_ns(etl, r.time);
		if (r.time % 5 == 0) {
			*some = sum(*some, r.payload) + r.time;
			wk_etl_mark_buffer(etl, wk_etl_buffer_index(etl));
		}
		for (size_t i = 0; i < r.item_count; i++)
			so_far = sum(so_far, r.items[i].data);
		++*count;
	}
	return so_far;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_err err = { 0 };
	struct wk_bytes files[2];
	struct wk_etl_file *etl;
	uint64_t count, again, first, some, some_again;
	size_t cut = size && data[size - 1] == 2 ? size / 2 : size;

	files[0] = wk_bytes_of(data, cut);
	files[1] = wk_bytes_of(data + cut, size - cut);
	etl = wk_etl_open(files, NULL, cut < size ? 2 : 1, size % 3, &err);
	if (!etl) {
		if (err.text[0] == '\0')
			abort();
		return 0;
	}
	sum(sum(0, wk_etl_header(etl)->session), wk_etl_header(etl)->file);
	first = read_all(etl, &count, &some);
	wk_etl_rewind(etl);
	if (read_all(etl, &again, &some_again) != first || again != count)
		abort();
	wk_etl_rewind_to_saved(etl);
	read_all(etl, &again, &some_again);
	if (some_again != some || again > count)
		abort();
	wk_etl_close(etl);
	return 0;
}
