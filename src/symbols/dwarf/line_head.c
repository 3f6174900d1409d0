#include "symbols/dwarf/line_head.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

/* No system would open a longer name or directory as a path. */
#define MAX_TEXT 4096

/* Limit for the total length of paths: more than real tables of that size need. */
#define MOST_PATH_BYTES(table_bytes) (65536 + 128 * (uint64_t)(table_bytes))

/* DW_LNCT_*: the content types of an entry in DWARF 5. */
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

/* The unit's bytes behind its length, which may claim more than there is. */
static struct wk_bytes read_unit(const struct wk_dwarf_line_input *input, struct wk_line_head *head)
{
	struct wk_bytes in = input->section;
	uint64_t size = (uint64_t)(in.end - in.start), length;

	in.at = input->offset < size ? in.start + input->offset : in.end;
	length = wk_dwarf_read_length(&in, &head->offset_size);
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
	tables_size = wk_dwarf_read_fixed(&in, head->offset_size);
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

/* The value's text; empty if it has none, or one of another file. */
static struct wk_str text_of(const struct wk_line_files *files, struct wk_dwarf_value value)
{
	const struct wk_dwarf_line_input *input = files->input;
	uint8_t size = files->head->offset_size;
	struct wk_bytes entry;

	if (value.form == DW_FORM_string)
		return wk_obj_text(&input->section, value.value, MAX_TEXT);
	if (value.form == DW_FORM_line_strp)
		return wk_obj_text(&input->line_str, value.value, MAX_TEXT);
	if (value.form == DW_FORM_strp)
		return wk_obj_text(&input->str, value.value, MAX_TEXT);
	if (!wk_dwarf_is_text_index(value.form) || value.value > UINT32_MAX)
		return wk_str_c("");
	entry = wk_bytes_at(&input->str_offsets, input->str_offsets_base + value.value * size,
			    size);
	if (entry.bad)
		return wk_str_c("");
	return wk_obj_text(&input->str, wk_dwarf_read_fixed(&entry, size), MAX_TEXT);
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
	const struct wk_line_head *head = files->head;
	struct wk_dwarf_shape shape = { (uint8_t)head->version, head->address_size,
					head->offset_size };

	*entry = (struct entry){ .path = { "", 0 } };
	for (unsigned i = 0; i < count; i++) {
		uint8_t form = wk_dwarf_short_form(formats[i].form);
		struct wk_dwarf_value value;

		if (wk_dwarf_form_size(form, shape) == 0 ||
		    !wk_dwarf_read_value(in, shape, form, &value))
			return wk_fail(err, WK_EUNSUPPORTED, wk_bytes_offset(in),
				       "a line program describes its files in the unknown form "
				       "0x%" PRIx64,
				       formats[i].form);
		if (formats[i].content == CONTENT_PATH)
			entry->path = text_of(files, value);
		else if (formats[i].content == CONTENT_DIRECTORY)
			entry->directory = value.value;
	}
	return !in->bad;
}

/* DWARF 5: the content types, the number of entries, and the entries. Each value has at least one
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
