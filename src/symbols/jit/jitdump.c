#include "symbols/jit/jitdump.h"

#include "base/map.h"
#include "base/mem.h"

#define MAGIC          0x4a695444u
#define HEAD_BYTES     40
#define RECORD_HEAD    16
#define LINE_LEAST     17 /* address, line, discriminator, an empty name */
#define FLAG_OWN_TIMES 1u

/* V8 adds this to the addresses of its lines: the size of the ELF header that perf puts before the
 * code. */
#define V8_LINE_SHIFT 0x40

enum record_kind {
	CODE_LOAD = 0,
	CODE_MOVE = 1,
	CODE_DEBUG_INFO = 2,
	CODE_CLOSE = 3,
	CODE_UNWINDING_INFO = 4,
};

/* A piece as it was loaded, for when it moves. */
struct loaded {
	uint64_t index, start;
	uint32_t part; /* of the file, see wk_jitdump_go_on */
	struct wk_jit_code code;
};

struct wk_jitdump {
	struct wk_bytes in;
	const uint8_t *used; /* bytes before it are not needed to continue */
	uint32_t part;       /* counts up whenever other bytes are read on */
	uint64_t begin_ns, flags;
	uint64_t offset;  /* of the bytes in the file */
	uint64_t checked; /* bad records before this offset are counted */
	struct wk_jitdump_bad bad;
	struct wk_map by_index; /* the program's number of a code block -> a row of `loaded` */
	struct wk_map by_start; /* its current address, for programs that do not number blocks */
	struct loaded *loaded;  /* row 0 is unused */
	size_t loaded_cap;
	uint32_t loaded_count;

	/* Written before the load record they belong to. */
	struct wk_bytes lines, unwind;
	uint64_t line_count, lines_start, unwind_head_bytes;
	bool has_lines, has_unwind;
};

struct wk_jitdump *wk_jitdump_open(const void *bytes, size_t size_bytes, struct wk_err *err)
{
	struct wk_bytes in = wk_bytes_of(bytes ? bytes : "", size_bytes);
	struct wk_jitdump *dump;
	uint32_t magic = wk_u32(&in), version, head_bytes;

	in.big_endian = magic == __builtin_bswap32(MAGIC);
	version = wk_u32(&in);
	head_bytes = wk_u32(&in);
	if (in.bad || (magic != MAGIC && !in.big_endian)) {
		wk_fail(err, WK_EFORMAT, 0, "not a jitdump: it does not begin with \"JiTD\"");
		return NULL;
	}
	if (version != 1) {
		wk_fail(err, WK_EUNSUPPORTED, 4, "jitdump of version %u; version 1 is known",
			version);
		return NULL;
	}
	if (head_bytes < HEAD_BYTES || head_bytes > size_bytes) {
		wk_fail(err, WK_ECORRUPT, 8, "the jitdump's head claims %u bytes", head_bytes);
		return NULL;
	}
	dump = wk_alloc_zeroed(1, sizeof(*dump));
	wk_bytes_skip(&in, 12); /* machine, padding, pid: as the process itself saw it */
	dump->begin_ns = wk_u64(&in);
	dump->flags = wk_u64(&in);
	in.at = in.start + head_bytes;
	dump->in = in;
	dump->used = in.at;
	dump->loaded = wk_grow(NULL, &dump->loaded_cap, 1, sizeof(*dump->loaded));
	dump->loaded_count = 1;
	return dump;
}

void wk_jitdump_free(struct wk_jitdump *dump)
{
	if (!dump)
		return;
	wk_map_fini(&dump->by_index);
	wk_map_fini(&dump->by_start);
	WK_FREE_ALL(dump->loaded, dump);
}

uint64_t wk_jitdump_begin_ns(const struct wk_jitdump *dump)
{
	return dump->begin_ns;
}

bool wk_jitdump_has_own_times(const struct wk_jitdump *dump)
{
	return dump->flags & FLAG_OWN_TIMES;
}

size_t wk_jitdump_used(const struct wk_jitdump *dump)
{
	return (size_t)(dump->used - dump->in.start);
}

void wk_jitdump_go_on(struct wk_jitdump *dump, const void *bytes, size_t size_bytes)
{
	bool big_endian = dump->in.big_endian;

	dump->offset += wk_jitdump_used(dump);
	dump->in = wk_bytes_of(bytes, size_bytes);
	dump->in.big_endian = big_endian;
	dump->used = dump->in.at;
	dump->part++;
	dump->has_lines = dump->has_unwind = false;
}

struct wk_jitdump_bad wk_jitdump_bad(const struct wk_jitdump *dump)
{
	return dump->bad;
}

static bool is_range(uint64_t start, uint64_t size_bytes)
{
	return size_bytes > 0 && size_bytes <= UINT64_MAX - start;
}

/* Stores the block by number and address, so that a later move finds it. */
static void keep(struct wk_jitdump *dump, uint64_t index, struct wk_jit_code *code)
{
	uint32_t row = dump->loaded_count++;

	code->number = row;
	WK_RESERVE(dump->loaded, dump->loaded_cap, dump->loaded_count);
	dump->loaded[row] = (struct loaded){ index, code->start, dump->part, *code };
	wk_map_set(&dump->by_index, index, row);
	wk_map_set(&dump->by_start, code->start, row);
}

/* Several V8 versions shift all lines; the first line of a block is then never at its start. */
static bool has_shifted_lines(struct wk_jit_code code)
{
	struct wk_jit_line line;
	bool beyond = false;

	while (wk_jit_code_next_line(&code, &line)) {
		if (line.offset < V8_LINE_SHIFT)
			return false;
		beyond = beyond || line.offset >= code.size_bytes;
	}
	return beyond || wk_str_starts(code.name, "JS:") ||
	       wk_str_starts(code.name, "LazyCompile:") || wk_str_starts(code.name, "Function:") ||
	       wk_str_starts(code.name, "Script:") || wk_str_starts(code.name, "Eval:");
}

static void read_pending(struct wk_jitdump *dump, struct wk_jit_code *code)
{
	if (dump->has_lines && dump->lines_start == code->start) {
		code->lines = dump->lines;
		code->line_count = dump->line_count;
		code->lines_start = dump->lines_start;
		if (has_shifted_lines(*code))
			code->lines_start += V8_LINE_SHIFT;
	}
	if (dump->has_unwind) {
		code->unwind = dump->unwind;
		code->unwind_head_bytes = dump->unwind_head_bytes;
		code->unwind_offset = (code->size_bytes + 7) & ~UINT64_C(7);
	}
	dump->has_lines = dump->has_unwind = false;
}

static bool read_load(struct wk_jitdump *dump, struct wk_bytes *body, struct wk_jit_code *code)
{
	uint64_t index;

	wk_bytes_skip(body, 16); /* pid, tid, and an address that is the same as the next */
	code->start = wk_u64(body);
	code->size_bytes = wk_u64(body);
	index = wk_u64(body);
	code->name = wk_bytes_text(body);
	if (body->bad || !is_range(code->start, code->size_bytes) || code->name.len == 0)
		return false;
	code->code = *body;
	if (code->size_bytes < wk_bytes_left(body))
		code->code.end = code->code.at + code->size_bytes;
	read_pending(dump, code);
	keep(dump, index, code);
	return true;
}

static bool read_move(struct wk_jitdump *dump, struct wk_bytes *body, struct wk_jit_code *code)
{
	uint64_t old_start, new_start, size_bytes, index, time_ns = code->time_ns;
	uint32_t row;

	wk_bytes_skip(body, 16);
	old_start = wk_u64(body);
	new_start = wk_u64(body);
	size_bytes = wk_u64(body);
	index = wk_u64(body);
	row = wk_map_find(&dump->by_index, index);
	if (!row || dump->loaded[row].start != old_start)
		row = wk_map_find(&dump->by_start, old_start);
	if (body->bad || !row || dump->loaded[row].start != old_start ||
	    !is_range(new_start, size_bytes))
		return false;
	*code = (struct wk_jit_code){ .number = row };
	if (dump->loaded[row].part == dump->part)
		*code = dump->loaded[row].code;
	code->time_ns = time_ns;
	code->start = new_start;
	code->size_bytes = size_bytes;
	code->is_moved = true;
	if (wk_map_find(&dump->by_start, old_start) == row)
		wk_map_set(&dump->by_start, old_start, 0);
	wk_map_set(&dump->by_start, new_start, row);
	dump->loaded[row].start = new_start;
	return true;
}

/* Each line needs bytes, which bound the count. */
static bool read_lines(struct wk_jitdump *dump, struct wk_bytes *body)
{
	dump->lines_start = wk_u64(body);
	dump->line_count = wk_u64(body);
	dump->lines = *body;
	dump->has_lines = !body->bad && dump->line_count <= wk_bytes_left(body) / LINE_LEAST;
	return dump->has_lines;
}

static bool read_unwind(struct wk_jitdump *dump, struct wk_bytes *body)
{
	uint64_t size_bytes = wk_u64(body);

	dump->unwind_head_bytes = wk_u64(body);
	wk_u64(body); /* how much of it the program had mapped */
	dump->unwind = wk_bytes_slice(body, size_bytes);
	dump->has_unwind = !body->bad && dump->unwind_head_bytes <= size_bytes;
	return dump->has_unwind;
}

/* The body of the next record; false if no complete one is left. */
static bool next_body(struct wk_jitdump *dump, uint32_t *kind, uint64_t *time_ns,
		      struct wk_bytes *body)
{
	uint32_t size_bytes;

	*kind = wk_u32(&dump->in);
	size_bytes = wk_u32(&dump->in);
	*time_ns = wk_u64(&dump->in);
	if (dump->in.bad || size_bytes < RECORD_HEAD)
		return false;
	*body = wk_bytes_slice(&dump->in, size_bytes - RECORD_HEAD);
	return !body->bad;
}

/* One complete record; `is_code` if it describes a block. */
static bool read_record(struct wk_jitdump *dump, uint32_t kind, struct wk_bytes *body,
			struct wk_jit_code *code, bool *is_code)
{
	switch (kind) {
	case CODE_LOAD:
		return *is_code = read_load(dump, body, code);
	case CODE_MOVE:
		return *is_code = read_move(dump, body, code);
	case CODE_DEBUG_INFO:
		return read_lines(dump, body);
	case CODE_UNWINDING_INFO:
		return read_unwind(dump, body);
	default:
		return true; /* from a later version: skipped by its length */
	}
}

static const char *record_name(uint32_t kind)
{
	switch (kind) {
	case CODE_LOAD:
		return "code loaded";
	case CODE_MOVE:
		return "code moved";
	case CODE_DEBUG_INFO:
		return "source lines";
	default:
		return "unwinding tables";
	}
}

/* One that is read again in other bytes is not another one. */
static void count_bad(struct wk_jitdump *dump, uint32_t kind, const uint8_t *record)
{
	uint64_t offset = dump->offset + (uint64_t)(record - dump->in.start);

	if (offset < dump->checked)
		return;
	dump->checked = offset + 1;
	if (dump->bad.count++ == 0) {
		dump->bad.offset = offset;
		dump->bad.what = record_name(kind);
	}
}

/* Records about the next block must be read again if it arrives in other bytes. */
static void note_used(struct wk_jitdump *dump, uint32_t kind, const uint8_t *record)
{
	if (kind == CODE_UNWINDING_INFO)
		dump->used = record;
	else if (kind != CODE_DEBUG_INFO || !dump->has_unwind)
		dump->used = dump->in.at;
}

bool wk_jitdump_next(struct wk_jitdump *dump, struct wk_jit_code *code)
{
	const uint8_t *record = dump->in.at;
	struct wk_bytes body;
	uint64_t time_ns;
	uint32_t kind;

	for (; next_body(dump, &kind, &time_ns, &body); record = dump->in.at) {
		bool is_code = false;

		if (kind == CODE_CLOSE)
			return false;
		*code = (struct wk_jit_code){ .time_ns = time_ns };
		if (!read_record(dump, kind, &body, code, &is_code))
			count_bad(dump, kind, record);
		note_used(dump, kind, record);
		if (is_code)
			return true;
	}
	return false;
}

/* V8 writes bytes out of its memory for the files of some scripts. */
static bool is_path(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] < ' ')
			return false;
	return true;
}

bool wk_jit_code_next_line(struct wk_jit_code *code, struct wk_jit_line *line)
{
	struct wk_bytes *in = &code->lines;
	uint64_t address;
	struct wk_str file;
	uint32_t number;

	if (code->line_count == 0)
		return false;
	code->line_count--;
	address = wk_u64(in);
	number = wk_u32(in);
	wk_u32(in); /* discriminator */
	file = wk_bytes_text(in);
	if (in->bad) {
		code->line_count = 0;
		return false;
	}
	/* The file of the line before. */
	if (!wk_str_is(file, "\xff"))
		code->last_file = is_path(file) ? file : (struct wk_str)WK_STR("");
	line->offset = address - code->lines_start;
	line->line = number > INT32_MAX ? 0 : number;
	line->file = code->last_file;
	return true;
}
