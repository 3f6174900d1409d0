#include "stages/jit/tail.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "os/os.h"

#define HEAD_BYTES 40
#define PART_BYTES ((size_t)1 << 16)

/* No record is longer; if one claims to be, reading ends. */
#define MOST_BYTES ((size_t)1 << 24)

struct wk_jit_tail {
	int fd;
	uint64_t offset;     /* in the file, behind `bytes` */
	struct wk_buf bytes; /* read, and not done with */
	struct wk_jitdump *dump;
	bool is_over;
};

struct wk_jit_tail *wk_jit_tail_open(int fd)
{
	struct wk_jit_tail *tail = wk_alloc_zeroed(1, sizeof(*tail));

	tail->fd = fd;
	return tail;
}

void wk_jit_tail_close(struct wk_jit_tail *tail)
{
	if (!tail)
		return;
	wk_jitdump_free(tail->dump);
	wk_buf_fini(&tail->bytes);
	wk_free(tail);
}

/* Passes the bytes to the reader, which starts with the file header. */
static void go_on(struct wk_jit_tail *tail)
{
	struct wk_err err = { 0 };

	if (tail->dump) {
		wk_jitdump_go_on(tail->dump, tail->bytes.at, tail->bytes.len);
		return;
	}
	tail->dump = wk_jitdump_open(tail->bytes.at, tail->bytes.len, &err);
	/* Half of the head may have been written. */
	tail->is_over = (!tail->dump && tail->bytes.len >= HEAD_BYTES) ||
			(tail->dump && wk_jitdump_has_own_times(tail->dump));
}

/* Reads more of the file and releases what is processed; false if there is no more, or not yet. */
static bool read_part(struct wk_jit_tail *tail)
{
	size_t used = tail->dump ? wk_jitdump_used(tail->dump) : 0;
	size_t left = tail->bytes.len - used;
	uint64_t size_bytes;
	size_t got;

	if (!wk_os_size(tail->fd, &size_bytes) || size_bytes <= tail->offset)
		return false;
	tail->is_over = left >= MOST_BYTES;
	if (used)
		memmove(tail->bytes.at, tail->bytes.at + used, left);
	tail->bytes.len = left;
	got = wk_os_read_at(tail->fd, tail->offset, wk_buf_extend(&tail->bytes, PART_BYTES),
			    PART_BYTES);
	tail->bytes.len = left + got;
	tail->offset += got;
	go_on(tail);
	return got > 0;
}

bool wk_jit_tail_next(struct wk_jit_tail *tail, struct wk_jit_code *code)
{
	while (!tail->is_over) {
		if (tail->dump && wk_jitdump_next(tail->dump, code))
			return true;
		if (!read_part(tail))
			return false;
	}
	return false;
}
