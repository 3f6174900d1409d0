#include "formats/perf/internal.h"

/* simpleperf's files section: the symbols of each file of the recording. Addresses in it are
 * link-time addresses; the mapping to file offsets follows the symbols. */

#define ELF_FILE 2 /* among the types of files */

struct file {
	struct wk_str path;
	uint32_t type, symbol_count;
	uint64_t least_address, offset;
	struct wk_bytes symbols;
};

static struct wk_str read_symbol(struct wk_bytes *in, uint64_t *start, uint32_t *size_bytes)
{
	*start = wk_u64(in);
	*size_bytes = wk_u32(in);
	return wk_bytes_text(in);
}

static bool read_file(struct wk_bytes *in, struct file *file)
{
	struct wk_bytes body = wk_bytes_slice(in, wk_u32(in));
	uint64_t start;
	uint32_t size_bytes;

	*file = (struct file){ .path = wk_bytes_text(&body) };
	file->type = wk_u32(&body);
	file->least_address = wk_u64(&body);
	file->symbol_count = wk_u32(&body);
	file->symbols = body;
	for (uint32_t i = 0; i < file->symbol_count && !body.bad; i++)
		read_symbol(&body, &start, &size_bytes);
	if (file->type == ELF_FILE && wk_bytes_left(&body) >= 8) /* older ones lack it */
		file->offset = wk_u64(&body);
	in->bad |= body.bad;
	return !in->bad;
}

static bool emit_file(struct wk_perf *perf, struct file *file)
{
	struct wk_event event = { .kind = WK_EVENT_SYMBOL, .cpu = WK_NO_CPU };
	bool ok = true;

	event.symbol.image_path = file->path;
	for (uint32_t i = 0; i < file->symbol_count && ok; i++) {
		uint64_t start;
		uint32_t size_bytes;

		event.symbol.name = read_symbol(&file->symbols, &start, &size_bytes);
		event.symbol.start = start - file->least_address + file->offset;
		event.symbol.size_bytes = size_bytes;
		ok = wk_sink_emit(perf->sink, &event, perf->err);
	}
	return ok;
}

bool wk_perf_read_android_files(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct file file;
	bool ok = true;

	(void)key;
	while (ok && wk_bytes_left(in) && read_file(in, &file))
		if (file.type == ELF_FILE)
			ok = emit_file(perf, &file);
	return ok;
}
