/* BPF programs and their type tables, as the header of a recording has them: the lines that `perf
 * script --header` prints of them.
 *
 * A program is the kernel's `struct bpf_prog_info`, with its arrays behind it and offsets in place
 * of their addresses. Functions have names only in the type table (BTF), where types go by their
 * number: the sizes of all before it say where a type lies. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "formats/perf/internal.h"

#define BTF_MAGIC    0xeb9f
#define TAG_BYTES    8
#define MOST_OF_NAME 485 /* perf's names have 511 bytes, with the tag in front */

/* Where fields of bpf_prog_info lie, and which bit says that an array of it came along. */
enum {
	INFO_ID = 4,
	INFO_NAME = 64,
	INFO_NAME_BYTES = 16,
	INFO_FUNCTIONS = 104,
	INFO_LENGTHS = 108,
	INFO_ADDRESS_AT = 112,
	INFO_LENGTH_AT = 120,
	INFO_TABLE = 128,
	INFO_RECORD_BYTES = 132,
	INFO_RECORD_AT = 136,
	INFO_TAGS = 180,
	INFO_TAG_AT = 184,
};
enum { HAS_ADDRESSES = 3, HAS_LENGTHS = 4, HAS_RECORDS = 5, HAS_TAGS = 8 };

struct table {
	uint32_t id;
	struct wk_bytes data;
	bool is_read;
	uint32_t *names; /* of type number + 1: where its name lies in `strings` */
	size_t count, cap;
	struct wk_bytes strings;
};

struct tables {
	struct table *rows;
	size_t count, cap;
	struct wk_map of_id; /* to row + 1 */
};

struct program {
	uint32_t id;
	uint64_t arrays; /* bit n: that array came along */
	struct wk_bytes info, data;
};

struct programs {
	struct program *rows;
	size_t count, cap;
};

/* The same bytes as a whole of their own, in which offsets count from their begin. */
static struct wk_bytes alone(struct wk_bytes bytes)
{
	struct wk_bytes whole = wk_bytes_of(bytes.at, wk_bytes_left(&bytes));

	whole.big_endian = bytes.big_endian;
	return whole;
}

static uint32_t u32_at(const struct wk_bytes *whole, uint64_t offset)
{
	struct wk_bytes at = wk_bytes_at(whole, offset, 4);

	return wk_u32(&at);
}

static uint64_t u64_at(const struct wk_bytes *whole, uint64_t offset)
{
	struct wk_bytes at = wk_bytes_at(whole, offset, 8);

	return wk_u64(&at);
}

/* --- Tables of types ----------------------------------------------------------------------- */

static void read_tables(struct wk_bytes in, struct tables *tables)
{
	for (uint32_t i = 0, count = wk_u32(&in); i < count && !in.bad; i++) {
		struct table table = { .id = wk_u32(&in) };

		table.data = alone(wk_bytes_slice(&in, wk_u32(&in)));
		if (in.bad)
			return;
		tables->rows =
			wk_grow(tables->rows, &tables->cap, tables->count + 1, sizeof(table));
		tables->rows[tables->count++] = table;
		if (!wk_map_find(&tables->of_id, table.id))
			wk_map_set(&tables->of_id, table.id, (uint32_t)tables->count);
	}
}

static void forget_tables(struct tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		wk_free(tables->rows[i].names);
	wk_free(tables->rows);
	wk_map_fini(&tables->of_id);
}

/* What follows the three words of a type. */
static uint64_t bytes_behind(uint32_t kind, uint32_t members)
{
	switch (kind) {
	case 1:  /* a number */
	case 14: /* a variable */
	case 17: /* a tag of a declaration */
		return 4;
	case 3: /* an array */
		return 12;
	case 4:  /* a struct */
	case 5:  /* a union */
	case 15: /* a section */
	case 19: /* an enumeration of 64 bits */
		return UINT64_C(12) * members;
	case 6:  /* an enumeration */
	case 13: /* what a function takes */
		return UINT64_C(8) * members;
	default:
		return 0;
	}
}

static void read_types(struct table *table)
{
	const struct wk_bytes *data = &table->data;
	struct wk_bytes head = *data, types;
	uint32_t head_bytes;

	table->is_read = true;
	if (wk_u16(&head) != BTF_MAGIC)
		return;
	head_bytes = u32_at(data, 4);
	types = wk_bytes_at(data, (uint64_t)head_bytes + u32_at(data, 8), u32_at(data, 12));
	table->strings =
		alone(wk_bytes_at(data, (uint64_t)head_bytes + u32_at(data, 16), u32_at(data, 20)));
	while (wk_bytes_left(&types) && !types.bad) {
		uint32_t name = wk_u32(&types), what = wk_u32(&types);

		wk_u32(&types);
		wk_bytes_skip(&types, bytes_behind(what >> 24 & 31, what & 0xffff));
		table->names =
			wk_grow(table->names, &table->cap, table->count + 1, sizeof(*table->names));
		table->names[table->count++] = name;
	}
}

static struct wk_str name_of_type(struct table *table, uint32_t type)
{
	struct wk_bytes text;

	if (!table->is_read)
		read_types(table);
	if (type == 0 || type > table->count)
		return wk_str_c("");
	text = table->strings;
	wk_bytes_skip(&text, table->names[type - 1]);
	return wk_bytes_text(&text);
}

/* --- Programs ------------------------------------------------------------------------------ */

static void read_programs(struct wk_bytes in, struct programs *programs)
{
	for (uint32_t i = 0, count = wk_u32(&in); i < count && !in.bad; i++) {
		uint32_t info_bytes = wk_u32(&in), data_bytes = wk_u32(&in);
		struct program program = { .arrays = wk_u64(&in) };

		program.info = alone(wk_bytes_slice(&in, info_bytes));
		program.data = alone(wk_bytes_slice(&in, data_bytes));
		program.id = u32_at(&program.info, INFO_ID);
		if (in.bad)
			return;
		programs->rows = wk_grow(programs->rows, &programs->cap, programs->count + 1,
					 sizeof(program));
		programs->rows[programs->count++] = program;
	}
}

/* `bytes` of an array, empty where they did not come along. */
static struct wk_bytes in_array(const struct program *program, unsigned has, uint64_t field,
				uint64_t offset, uint64_t bytes)
{
	uint64_t start = u64_at(&program->info, field);

	if (!(program->arrays >> has & 1) || start > UINT64_MAX - offset)
		return (struct wk_bytes){ .bad = true };
	return wk_bytes_at(&program->data, start + offset, bytes);
}

/* perf calls the functions of a program without types "F", if there are several. */
static struct wk_str short_name(const struct program *program, struct tables *tables,
				uint32_t function, uint32_t count)
{
	uint32_t row = wk_map_find(&tables->of_id, u32_at(&program->info, INFO_TABLE));
	uint64_t record_bytes = u32_at(&program->info, INFO_RECORD_BYTES);
	struct wk_bytes name;

	if (row) {
		struct wk_bytes record = in_array(program, HAS_RECORDS, INFO_RECORD_AT,
						  function * record_bytes + 4, 4);

		return name_of_type(&tables->rows[row - 1], wk_u32(&record));
	}
	if (count > 1)
		return wk_str_c("F");
	name = wk_bytes_at(&program->info, INFO_NAME, INFO_NAME_BYTES);
	return wk_bytes_text(&name);
}

static void add_function(const struct program *program, struct tables *tables, uint32_t function,
			 uint32_t count, struct wk_buf *out)
{
	struct wk_bytes tag =
		in_array(program, HAS_TAGS, INFO_TAG_AT, (uint64_t)function * TAG_BYTES, TAG_BYTES);
	struct wk_bytes address =
		in_array(program, HAS_ADDRESSES, INFO_ADDRESS_AT, (uint64_t)function * 8, 8);
	struct wk_bytes length =
		in_array(program, HAS_LENGTHS, INFO_LENGTH_AT, (uint64_t)function * 4, 4);
	struct wk_str name = short_name(program, tables, function, count);

	if (name.len > MOST_OF_NAME)
		name.len = MOST_OF_NAME;
	wk_buf_add_text(out, ": bpf_prog_");
	for (unsigned i = 0; i < TAG_BYTES; i++)
		wk_buf_add_fmt(out, "%02x", wk_u8(&tag));
	wk_buf_add_fmt(out, "%s%.*s addr 0x%" PRIx64, name.len ? "_" : "", WK_STR_ARG(name),
		       wk_u64(&address));
	wk_buf_add_fmt(out, " size %" PRIu32 "\n", wk_u32(&length));
}

static void add_program(const struct program *program, struct tables *tables, struct wk_buf *out)
{
	uint32_t count = u32_at(&program->info, INFO_FUNCTIONS);

	if (count != u32_at(&program->info, INFO_LENGTHS) ||
	    count != u32_at(&program->info, INFO_TAGS) ||
	    count > wk_bytes_left(&program->data) / TAG_BYTES)
		return;
	wk_buf_add_fmt(out, "# bpf_prog_info %" PRIu32, program->id);
	if (count == 1) {
		add_function(program, tables, 0, count, out);
		return;
	}
	wk_buf_add_text(out, ":\n");
	for (uint32_t i = 0; i < count; i++) {
		wk_buf_add_fmt(out, "# \tsub_prog %" PRIu32, i);
		add_function(program, tables, i, count, out);
	}
}

static struct wk_sort_key *new_keys(size_t count)
{
	return wk_alloc_zeroed(count + 1, sizeof(struct wk_sort_key));
}

/* By their numbers, each of which is printed once. */
static void add_programs(const struct programs *programs, struct tables *tables, struct wk_buf *out)
{
	struct wk_sort_key *keys = new_keys(programs->count);

	for (size_t i = 0; i < programs->count; i++)
		keys[i] = (struct wk_sort_key){ programs->rows[i].id, (uint32_t)i };
	wk_sort_keys(keys, programs->count);
	for (size_t i = 0; i < programs->count; i++)
		if (i == 0 || keys[i].key != keys[i - 1].key)
			add_program(&programs->rows[keys[i].row], tables, out);
	wk_free(keys);
}

static void add_tables(const struct tables *tables, struct wk_buf *out)
{
	struct wk_sort_key *keys = new_keys(tables->count);

	for (size_t i = 0; i < tables->count; i++)
		keys[i] = (struct wk_sort_key){ tables->rows[i].id, (uint32_t)i };
	wk_sort_keys(keys, tables->count);
	for (size_t i = 0; i < tables->count; i++)
		if (i == 0 || keys[i].key != keys[i - 1].key)
			wk_buf_add_fmt(out, "# btf info of id %" PRIu64 "\n", keys[i].key);
	wk_free(keys);
}

void wk_perf_bpf_comments(struct wk_bytes programs, struct wk_bytes tables, struct wk_buf *out)
{
	struct programs all_programs = { 0 };
	struct tables all_tables = { 0 };

	read_programs(programs, &all_programs);
	read_tables(tables, &all_tables);
	add_programs(&all_programs, &all_tables, out);
	add_tables(&all_tables, out);
	wk_free(all_programs.rows);
	forget_tables(&all_tables);
}
