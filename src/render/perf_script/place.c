/* Addresses as text: " name+0x10 (file)", and a call chain's lines with the inlined calls. */
#include <inttypes.h>

#include "base/hash.h"
#include "base/mem.h"
#include "names/demangle/demangle.h"
#include "render/perf_script/internal.h"

/* The columns that change the text of a place. */
#define PRINTED                                                                                    \
	(WK_COLUMN_IP | WK_COLUMN_SYM | WK_COLUMN_DSO | WK_COLUMN_SYMOFF | WK_COLUMN_SRCLINE)

/* --- The image of an address --------------------------------------------------------------- */

/* JIT code is in no file. */
static void find_code(struct wk_perf_script *script, uint32_t pid, struct wk_script_place *place)
{
	if (!place->image || place->image->is_anonymous || place->image->is_kernel)
		place->code = wk_jit_code_find(script->code, pid, place->ip, &place->code_symbol);
}

struct wk_script_place wk_script_place_at(struct wk_perf_script *script, uint32_t pid, uint64_t ip,
					  bool in_kernel)
{
	struct wk_script_place place = { .ip = ip, .address = ip };
	uint32_t space = in_kernel ? WK_KERNEL_PID : pid;
	const struct wk_mapping *mapping = wk_spaces_find(script->spaces, space, ip);

	if (mapping)
		place.image_number = mapping->image;
	else if (in_kernel && script->kernel && ip >= script->rows[script->kernel].first_start)
		place.image_number = script->kernel; /* for perf it has no end */
	if (place.image_number)
		place.image = &script->rows[place.image_number];
	if (mapping && !place.image->is_kernel && !place.image->is_anonymous)
		place.address = ip - mapping->start + mapping->file_offset;
	find_code(script, space, &place);
	return place;
}

/* --- Names --------------------------------------------------------------------------------- */

static bool find_symbol(struct wk_perf_script *script, const struct wk_script_place *place,
			struct wk_symbol *symbol)
{
	if (place->code)
		*symbol = place->code_symbol;
	return place->code ||
	       (place->image &&
		wk_resolver_symbol(script->names, place->image_number, place->address, symbol));
}

/* Demangled, unless --no-demangle; valid until the next call. */
static struct wk_str readable(struct wk_perf_script *script, struct wk_str linked)
{
	if (script->options.no_demangle)
		return linked;
	wk_buf_reset(&script->name);
	return wk_demangle_bare(linked, &script->name) ? wk_buf_str(&script->name) : linked;
}

bool wk_script_name_kernel(void *context, uint64_t address, struct wk_str *name, uint64_t *start)
{
	struct wk_perf_script *script = context;
	struct wk_script_place place = wk_script_place_at(script, 0, address, true);
	struct wk_symbol symbol;

	if (!find_symbol(script, &place, &symbol))
		return false;
	*name = symbol.name;
	*start = symbol.start;
	return true;
}

static bool is_plain(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((text.at[i] < ' ' && text.at[i] != '\t') || text.at[i] > '~')
			return false;
	return true;
}

/* Nearly all texts are plain. Tabs are kept, as tracepoints print them. */
void wk_script_add_text(struct wk_str text, struct wk_buf *out)
{
	struct wk_out writer;

	if (is_plain(text)) {
		wk_buf_add_str(out, text);
		return;
	}
	writer = wk_out_to_buf(out);
	while (text.len > 0) {
		const char *tab = memchr(text.at, '\t', text.len);
		size_t len = tab ? (size_t)(tab - text.at) : text.len;

		wk_out_term(&writer, wk_str_of(text.at, len));
		if (tab)
			wk_out_char(&writer, '\t');
		text = wk_str_skip(text, len + 1);
	}
	wk_out_end(&writer);
}

void wk_script_add_dso(const struct wk_script_place *place, struct wk_buf *out)
{
	wk_buf_add_char(out, '(');
	wk_script_add_text(place->image ? place->image->name : wk_str_c("[unknown]"), out);
	wk_buf_add_char(out, ')');
}

/* "[unknown]" if it has no name. */
static void add_symbol(struct wk_perf_script *script, const struct wk_script_place *place,
		       bool with_offset, struct wk_buf *out)
{
	struct wk_symbol symbol;

	if (!find_symbol(script, place, &symbol)) {
		wk_buf_add_text(out, "[unknown]");
		return;
	}
	/* Names of JIT code are not mangled. */
	wk_script_add_text(place->code ? symbol.name : readable(script, symbol.name), out);
	if (symbol.is_plt)
		wk_buf_add_text(out, "@plt");
	if (with_offset)
		wk_buf_add_fmt(out, "+0x%" PRIx64, place->address - symbol.start);
}

/* addr2line prints question marks for a function without a line. */
static bool is_known_to_addr2line(struct wk_perf_script *script,
				  const struct wk_script_place *place)
{
	const struct wk_script_image *image = place->image;
	struct wk_image_symbols *symbols =
		image->is_kernel || image->is_anonymous || !wk_str_starts(image->name, "/")
			? NULL
			: wk_resolver_image(script->names, place->image_number);
	struct wk_symbol symbol;

	return symbols && wk_image_find(symbols, place->address, &symbol);
}

/* "\n  file.c:12". Without a line: the file and the address, or the question marks of addr2line,
 * which perf prints only in chains with inlined calls. */
static void add_line(struct wk_perf_script *script, const struct wk_script_place *place,
		     struct wk_str file, uint32_t line, bool asks_for_calls, struct wk_buf *out)
{
	if (!place->image)
		return;
	if (line || file.len) {
		wk_buf_add_text(out, "\n  ");
		wk_script_add_text(wk_str_basename(file), out);
		wk_buf_add_fmt(out, ":%" PRIu32, line);
	} else if (!is_known_to_addr2line(script, place)) {
		wk_buf_add_text(out, "\n  ");
		wk_script_add_text(wk_str_basename(place->image->name), out);
		wk_buf_add_fmt(out, "[%" PRIx64 "]", place->address);
	} else if (asks_for_calls) {
		wk_buf_add_text(out, "\n  ??:0");
	}
}

static size_t places_of(struct wk_perf_script *script, const struct wk_script_place *place,
			const struct wk_place **places)
{
	if (!place->image || place->image->is_kernel)
		return 0;
	return wk_resolver_places(script->names, place->image_number, place->address, places);
}

void wk_script_add_place(struct wk_perf_script *script, const struct wk_script_place *place,
			 uint32_t columns, bool asks_for_calls, struct wk_buf *out)
{
	if (columns & WK_COLUMN_SYM) {
		wk_buf_add_char(out, ' ');
		add_symbol(script, place, columns & WK_COLUMN_SYMOFF, out);
	}
	if (columns & WK_COLUMN_DSO) {
		wk_buf_add_char(out, ' ');
		wk_script_add_dso(place, out);
	}
	if (columns & WK_COLUMN_SRCLINE) {
		const struct wk_place *places;
		size_t count = places_of(script, place, &places);

		add_line(script, place, count ? places[0].file : (struct wk_str){ 0 },
			 count ? places[0].line : 0, asks_for_calls, out);
	}
}

/* --- Lines of a chain ---------------------------------------------------------------------- */

static void add_ip(const struct wk_script_place *place, uint32_t columns, struct wk_buf *out)
{
	bool is_offset = place->image && !place->image->is_kernel;

	if (columns & WK_COLUMN_IP)
		wk_buf_add_fmt(out, "\t%16" PRIx64, is_offset ? place->address : place->ip);
}

/* One call of the chain that `places` tells: `name` is readable. The last of them is the function
 * that the machine ran; perf takes it for inlined too where its symbol has another name. */
static void add_call(struct wk_perf_script *script, const struct wk_script_place *place,
		     const struct wk_place *call, struct wk_str name, uint64_t start,
		     bool is_inlined, uint32_t columns)
{
	struct wk_buf *out = &script->scratch;

	add_ip(place, columns, out);
	if (columns & WK_COLUMN_SYM) {
		wk_buf_add_char(out, ' ');
		wk_script_add_text(name, out);
		if (columns & WK_COLUMN_SYMOFF)
			wk_buf_add_fmt(out, "+0x%" PRIx64, place->address - start);
	}
	if (columns & WK_COLUMN_DSO && !is_inlined) {
		wk_buf_add_char(out, ' ');
		wk_script_add_dso(place, out);
	}
	if (columns & WK_COLUMN_SRCLINE)
		add_line(script, place, call->file, call->line, true, out);
	if (is_inlined)
		wk_buf_add_text(out, " (inlined)");
	wk_buf_add_char(out, '\n');
}

/* The length of "operator()", "operator<<" and so on at the start of `name`; else 0. */
static size_t operator_length(struct wk_str name)
{
	size_t len = strlen("operator");

	if (!wk_str_starts(name, "operator"))
		return 0;
	if (wk_str_starts(wk_str_skip(name, len), "()"))
		return len + 2;
	while (len < name.len && strchr("<>=!+-*/%&|^~,[]", name.at[len]))
		len++;
	return len;
}

/* "std::less<A::B>::operator()" without "std::less<A::B>::": perf sees only a function's own name
 * where the debug information has none as linked. */
static struct wk_str without_scope(struct wk_str name)
{
	size_t depth = 0, start = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (depth == 0 && i == start)
			i += operator_length(wk_str_skip(name, i));
		if (i >= name.len)
			break;
		c = name.at[i];
		if (c == '<' || c == '(' || c == '{' || c == '[')
			depth++;
		else if ((c == '>' || c == ')' || c == '}' || c == ']') && depth > 0)
			depth--;
		else if (c == ':' && depth == 0 && i + 1 < name.len && name.at[i + 1] == ':')
			start = ++i + 1;
	}
	return wk_str_skip(name, start);
}

static struct wk_str name_of_call(struct wk_perf_script *script, const struct wk_place *call)
{
	if (wk_is_mangled(call->function))
		return readable(script, call->function);
	return without_scope(call->function);
}

static bool add_calls(struct wk_perf_script *script, const struct wk_script_place *place,
		      uint32_t columns)
{
	const struct wk_place *places;
	struct wk_symbol symbol;
	struct wk_str base, name;
	size_t count;

	if (script->options.no_inlined || !find_symbol(script, place, &symbol))
		return false;
	count = places_of(script, place, &places);
	if (count == 0 || places[0].function.len == 0)
		return false;
	/* One call, whose linked name only the table of symbols has. */
	if (count == 1 && wk_is_mangled(symbol.name) && !wk_is_mangled(places[0].function))
		return false;
	base = wk_arena_copy(&script->arena, readable(script, symbol.name));
	for (size_t i = 0; i < count; i++) {
		name = name_of_call(script, &places[i]);
		add_call(script, place, &places[i], name, symbol.start, !wk_str_eq(name, base),
			 columns);
	}
	return true;
}

static void make_lines(struct wk_perf_script *script, const struct wk_script_place *place,
		       uint32_t columns)
{
	wk_buf_reset(&script->scratch);
	if (columns & WK_COLUMN_SYM && add_calls(script, place, columns))
		return;
	add_ip(place, columns, &script->scratch);
	wk_script_add_place(script, place, columns, !script->options.no_inlined, &script->scratch);
	wk_buf_add_char(&script->scratch, '\n');
}

static bool same_text(const void *table, uint32_t id, const void *key)
{
	const struct wk_perf_script *script = table;
	const struct wk_script_text *text = &script->texts[id - 1], *wanted = key;

	return text->address == wanted->address && text->image == wanted->image &&
	       text->code == wanted->code && text->columns == wanted->columns;
}

struct wk_str wk_script_frame_lines(struct wk_perf_script *script,
				    const struct wk_script_place *place, uint32_t columns)
{
	struct wk_script_text wanted = { .address = place->address, .image = place->image_number,
					 .code = place->code, .columns = columns & PRINTED };
	uint64_t hash =
		wk_hash_pair(wanted.address, (uint64_t)wanted.image << 16 | wanted.columns) +
		wanted.code;
	uint32_t id = wk_index_find(&script->text_of, hash, same_text, script, &wanted);

	if (id)
		return script->texts[id - 1].text;
	make_lines(script, place, columns);
	wanted.text = wk_arena_copy(&script->arena, wk_buf_str(&script->scratch));
	*WK_APPEND(script->texts, script->text_count, script->text_cap) = wanted;
	wk_index_add(&script->text_of, hash, (uint32_t)script->text_count);
	return wanted.text;
}
