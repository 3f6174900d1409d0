#include "symbols/dwarf/line_head.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/object/object.h"

/* No system would open a longer name or directory as a path. */
#define MAX_TEXT 4096

/* Limit for the total length of paths: more than real tables of that size need. */
#define MOST_PATH_BYTES(table_bytes) (65536 + 128 * (uint64_t)(table_bytes))

/* DW_LNCT_*: the content types of an entry in DWARF 5. */
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

/* DW_FORM_*: the form of the value. */
enum {
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_FLAG = 0x0c,
	FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_SEC_OFFSET = 0x17,
	FORM_STRX = 0x1a,
	FORM_STRP_SUP = 0x1d,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
	FORM_STRX1 = 0x25,
	FORM_STRX2 = 0x26,
	FORM_STRX3 = 0x27,
	FORM_STRX4 = 0x28,
	FORM_GNU_STR_INDEX = 0x1f02,
	FORM_GNU_STRP_ALT = 0x1f21,
};

/* An entry's value: a text or a number. */
struct value {
	struct wk_str text;
	uint64_t number;
};

static uint64_t read_offset(const struct wk_line_head *head, struct wk_bytes *in)
{
	return head->is_64 ? wk_u64(in) : wk_u32(in);
}

/* The unit's bytes behind its length, which may claim more than there is. */
static struct wk_bytes read_unit(const struct wk_dwarf_line_input *input, struct wk_line_head *head)
{
	struct wk_bytes in = input->section;
	uint64_t size = (uint64_t)(in.end - in.start), length;

	in.at = input->offset < size ? in.start + input->offset : in.end;
	length = wk_u32(&in);
	if (length == UINT32_MAX) {
		head->is_64 = true;
		length = wk_u64(&in);
	}
	if (length < wk_bytes_left(&in))
		in.end = in.at + length;
	return in;
}

static bool check(const struct wk_line_head *head, uint64_t offset, struct wk_err *err)
{
	const char *which = head->line_range == 0 ? "line_range" : "opcode_base";

	if (head->line_range == 0 || head->opcode_base == 0)
		return wk_fail(err, WK_ECORRUPT, offset, "the line program's %s is 0", which);
	return true;
}

bool wk_line_head_read(const struct wk_dwarf_line_input *input, struct wk_line_head *head,
		       struct wk_err *err)
{
	struct wk_bytes in, rest;
	uint64_t tables_size;

	*head = (struct wk_line_head){ .address_size = input->address_size, .max_operations = 1 };
	in = read_unit(input, head);
	head->version = wk_u16(&in);
	if (!in.bad && (head->version < 2 || head->version > 5))
		return wk_fail(err, WK_EUNSUPPORTED, input->offset,
			       "the line program is of version %u; 2 to 5 are known",
			       head->version);
	if (head->version >= 5) {
		head->address_size = wk_u8(&in);
		wk_u8(&in); /* of segment selectors */
	}
	tables_size = read_offset(head, &in);
	rest = wk_bytes_slice(&in, tables_size);
	head->program = in;
	head->min_instruction_bytes = wk_u8(&rest);
	if (head->version >= 4)
		head->max_operations = wk_u8(&rest);
	wk_u8(&rest); /* default_is_stmt */
	head->line_base = (int8_t)wk_u8(&rest);
	head->line_range = wk_u8(&rest);
	head->opcode_base = wk_u8(&rest);
	head->opcode_lengths = rest.at;
	wk_bytes_skip(&rest, head->opcode_base ? head->opcode_base - 1u : 0);
	head->tables = rest;
	if (rest.bad)
		return wk_fail(err, WK_ECORRUPT, input->offset,
			       "the line program at 0x%" PRIx64 " ends inside its header",
			       input->offset);
	return check(head, input->offset, err);
}

void wk_line_files_init(struct wk_line_files *files, const struct wk_dwarf_line_input *input,
			const struct wk_line_head *head, struct wk_code_index *index,
			struct wk_dwarf_lines *lines)
{
	*files = (struct wk_line_files){
		.input = input, .head = head, .index = index, .lines = lines };
	files->most_path_bytes =
		MOST_PATH_BYTES(wk_bytes_left(&head->tables) + wk_bytes_left(&head->program));
}

void wk_line_files_fini(struct wk_line_files *files)
{
	wk_free(files->directories);
	wk_buf_fini(&files->path);
}

static bool is_absolute(struct wk_str path)
{
	return path.len > 0 &&
	       (path.at[0] == '/' || path.at[0] == '\\' || (path.len > 2 && path.at[1] == ':'));
}

/* Adds a part of a path, without "." and doubled '/'. ".." stays: only the system knows where it
 * leads. */
static void add_piece(struct wk_buf *path, struct wk_str piece)
{
	while (piece.len > 0) {
		const char *slash = memchr(piece.at, '/', piece.len);
		size_t len = slash ? (size_t)(slash - piece.at) : piece.len;

		if (path->len > 0 && (len == 0 || (len == 1 && piece.at[0] == '.'))) {
			piece = wk_str_skip(piece, len + 1);
			continue;
		}
		if (path->len > 0 && path->at[path->len - 1] != '/')
			wk_buf_add_char(path, '/');
		wk_buf_add(path, piece.at, len);
		if (path->len == 0)
			wk_buf_add_char(path, '/');
		piece = wk_str_skip(piece, len + 1);
	}
}

/* The directory of a file; relative ones are below the unit's own directory. In DWARF 5 directory 0
 * is that directory; before, it had no number. */
static void add_directories(struct wk_line_files *files, uint64_t number)
{
	struct wk_str own = files->input->directory, directory = { "", 0 };
	bool is_5 = files->head->version >= 5;

	if (!is_5)
		number--;
	if (number < files->directory_count)
		directory = files->directories[number];
	if (!is_absolute(directory) && !(is_5 && number == 0 && directory.len > 0))
		add_piece(&files->path, own);
	add_piece(&files->path, directory);
}

static void add_file(struct wk_line_files *files, struct wk_str name, uint64_t directory)
{
	struct wk_dwarf_lines *lines = files->lines;
	uint32_t id = 0;

	wk_buf_reset(&files->path);
	if (!is_absolute(name))
		add_directories(files, directory);
	add_piece(&files->path, name);
	if (name.len > 0 && files->path.len <= files->most_path_bytes) {
		files->most_path_bytes -= files->path.len;
		id = wk_code_index_text(files->index, wk_buf_str(&files->path));
	}
	*WK_APPEND(lines->files, lines->file_count, lines->file_cap) = id;
}

static void add_directory(struct wk_line_files *files, struct wk_str text)
{
	*WK_APPEND(files->directories, files->directory_count, files->directory_cap) = text;
}

static struct wk_str short_enough(struct wk_str text)
{
	return text.len <= MAX_TEXT ? text : wk_str_c("");
}

bool wk_line_files_define(struct wk_line_files *files, struct wk_bytes *in)
{
	struct wk_str name = wk_bytes_text(in);
	uint64_t directory;

	if (in->bad || name.len == 0)
		return false;
	directory = wk_uleb(in);
	wk_uleb(in); /* time */
	wk_uleb(in); /* length */
	add_file(files, short_enough(name), directory);
	return true;
}

/* DWARF 2 to 4: texts up to an empty one. Files are counted from 1. */
static bool read_old_tables(struct wk_line_files *files, struct wk_bytes *in)
{
	for (;;) {
		struct wk_str directory = wk_bytes_text(in);

		if (in->bad || directory.len == 0)
			break;
		add_directory(files, short_enough(directory));
	}
	add_file(files, wk_str_c(""), 0);
	while (!in->bad && wk_line_files_define(files, in))
		;
	return !in->bad;
}

/* A text by its number in .debug_str_offsets. */
static struct wk_str indexed_text(const struct wk_line_files *files, uint64_t number)
{
	const struct wk_dwarf_line_input *input = files->input;
	unsigned size = files->head->is_64 ? 8 : 4;
	struct wk_bytes entry;

	if (number > UINT32_MAX)
		return wk_str_c("");
	entry = wk_bytes_at(&input->str_offsets, input->str_offsets_base + number * size, size);
	if (entry.bad)
		return wk_str_c("");
	return wk_obj_text(&input->str, read_offset(files->head, &entry), MAX_TEXT);
}

static uint32_t read_u24(struct wk_bytes *in)
{
	uint32_t a = wk_u8(in), b = wk_u8(in), c = wk_u8(in);

	return in->big_endian ? a << 16 | b << 8 | c : c << 16 | b << 8 | a;
}

/* False for an unknown form: the start of the next value is then unknown as well. */
static bool read_text_form(const struct wk_line_files *files, uint64_t form, struct wk_bytes *in,
			   struct value *value)
{
	const struct wk_dwarf_line_input *input = files->input;

	switch (form) {
	case FORM_STRING:
		value->text = short_enough(wk_bytes_text(in));
		return true;
	case FORM_LINE_STRP:
		value->text = wk_obj_text(&input->line_str, read_offset(files->head, in), MAX_TEXT);
		return true;
	case FORM_STRP:
		value->text = wk_obj_text(&input->str, read_offset(files->head, in), MAX_TEXT);
		return true;
	case FORM_STRX:
	case FORM_GNU_STR_INDEX:
		value->text = indexed_text(files, wk_uleb(in));
		return true;
	case FORM_STRX1:
		value->text = indexed_text(files, wk_u8(in));
		return true;
	case FORM_STRX2:
		value->text = indexed_text(files, wk_u16(in));
		return true;
	case FORM_STRX3:
		value->text = indexed_text(files, read_u24(in));
		return true;
	case FORM_STRX4:
		value->text = indexed_text(files, wk_u32(in));
		return true;
	case FORM_STRP_SUP:
	case FORM_GNU_STRP_ALT:
		read_offset(files->head, in); /* a text of another file */
		return true;
	default:
		return false;
	}
}

static bool read_block_form(uint64_t form, struct wk_bytes *in)
{
	switch (form) {
	case FORM_BLOCK:
		wk_bytes_skip(in, wk_uleb(in));
		return true;
	case FORM_BLOCK1:
		wk_bytes_skip(in, wk_u8(in));
		return true;
	case FORM_BLOCK2:
		wk_bytes_skip(in, wk_u16(in));
		return true;
	case FORM_BLOCK4:
		wk_bytes_skip(in, wk_u32(in));
		return true;
	case FORM_DATA16:
		wk_bytes_skip(in, 16);
		return true;
	default:
		return false;
	}
}

static bool read_number_form(const struct wk_line_files *files, uint64_t form, struct wk_bytes *in,
			     struct value *value)
{
	switch (form) {
	case FORM_UDATA:
		value->number = wk_uleb(in);
		return true;
	case FORM_SDATA:
		value->number = (uint64_t)wk_sleb(in);
		return true;
	case FORM_DATA1:
	case FORM_FLAG:
		value->number = wk_u8(in);
		return true;
	case FORM_DATA2:
		value->number = wk_u16(in);
		return true;
	case FORM_DATA4:
		value->number = wk_u32(in);
		return true;
	case FORM_DATA8:
		value->number = wk_u64(in);
		return true;
	case FORM_SEC_OFFSET:
		value->number = read_offset(files->head, in);
		return true;
	default:
		return false;
	}
}

struct format {
	uint64_t content, form;
};

struct entry {
	struct wk_str path;
	uint64_t directory;
};

static bool read_entry(const struct wk_line_files *files, const struct format *formats,
		       unsigned count, struct wk_bytes *in, struct entry *entry, struct wk_err *err)
{
	*entry = (struct entry){ .path = { "", 0 } };
	for (unsigned i = 0; i < count; i++) {
		struct value value = { .text = { "", 0 } };
		uint64_t form = formats[i].form;

		if (!read_text_form(files, form, in, &value) &&
		    !read_number_form(files, form, in, &value) && !read_block_form(form, in))
			return wk_fail(err, WK_EUNSUPPORTED, wk_bytes_offset(in),
				       "the files of a line program are told in form 0x%" PRIx64
				       ", which is not known",
				       form);
		if (formats[i].content == CONTENT_PATH)
			entry->path = value.text;
		else if (formats[i].content == CONTENT_DIRECTORY)
			entry->directory = value.number;
	}
	return !in->bad;
}

/* DWARF 5: the content types, the number of entries, and the entries. Each value needs at least a
 * byte, so a table ends with its bytes whatever it claims. */
static bool read_table(struct wk_line_files *files, bool is_files, struct wk_bytes *in,
		       struct wk_err *err)
{
	struct format formats[UINT8_MAX];
	unsigned format_count = wk_u8(in);
	uint64_t count;

	for (unsigned i = 0; i < format_count; i++) {
		formats[i].content = wk_uleb(in);
		formats[i].form = wk_uleb(in);
	}
	count = wk_uleb(in);
	for (uint64_t i = 0; i < count && format_count > 0 && !in->bad; i++) {
		struct entry entry;

		if (!read_entry(files, formats, format_count, in, &entry, err))
			return false;
		if (is_files)
			add_file(files, entry.path, entry.directory);
		else
			add_directory(files, entry.path);
	}
	return !in->bad;
}

bool wk_line_files_read(struct wk_line_files *files, struct wk_err *err)
{
	struct wk_bytes in = files->head->tables;
	bool ok;

	if (files->head->version < 5)
		ok = read_old_tables(files, &in);
	else
		ok = read_table(files, false, &in, err) && read_table(files, true, &in, err);
	return ok || wk_fail(err, WK_ECORRUPT, files->input->offset,
			     "the line program at 0x%" PRIx64 " ends inside its tables of files",
			     files->input->offset);
}
