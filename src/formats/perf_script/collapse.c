/* Frames as stackcollapse-perf.pl and inferno-collapse-perf print them: names are tidied and marks
 * appended. Both use "[image]" for unknown names and split "a->b" of Java's agents; they differ in
 * what they cut from names. */
#include "formats/perf_script/internal.h"

#include <inttypes.h>

#include "base/num.h"
#include "names/rust_escapes.h"

/* The opening parenthesis of the image that ends at `close`: for perl the last one behind a blank,
 * for inferno the last word. Images that contain "(deleted)", which both tools split, stay whole.
 */
static size_t image_begin(struct wk_str rest, size_t close)
{
	size_t depth = 0, last = close;

	for (size_t at = close; at-- > 0;) {
		bool begins = rest.at[at] == '(' && (at == 0 || rest.at[at - 1] == ' ');

		if (begins && last == close)
			last = at;
		depth += rest.at[at] == ')';
		if (rest.at[at] == '(' && depth && --depth == 0 && begins)
			return at;
	}
	return last;
}

/* A line's name and image. A line without an image may be marked as inlined in its source line. */
static bool split_image(enum wk_collapse_dialect dialect, const struct wk_script_frame_line *line,
			struct wk_str *name, struct wk_str *image)
{
	struct wk_str rest = line->rest;
	size_t close = rest.len, open;

	if (wk_str_ends(line->source, " (inlined)")) {
		*name = rest;
		*image = wk_str_c("inlined");
		return true;
	}
	while (close > 0 && rest.at[close - 1] != ')')
		close--;
	open = image_begin(rest, close);
	if (open == close || (dialect == WK_COLLAPSE_INFERNO && close < rest.len))
		return false;
	*image = wk_str_of(rest.at + open + 1, close - open - 2);
	*name = wk_str_of(rest.at, open ? open - 1 : 0);
	if (dialect == WK_COLLAPSE_INFERNO)
		*name = wk_trim(*name);
	/* Without a name both print a blank. */
	if (name->len == 0)
		*name = wk_str_c(" ");
	return true;
}

static struct wk_str cut_offset(enum wk_collapse_dialect dialect, struct wk_str name)
{
	bool any_case = dialect == WK_COLLAPSE_INFERNO;
	size_t at = name.len;

	while (at > 0 && wk_is_hex(name.at[at - 1]) &&
	       (any_case || name.at[at - 1] == wk_lower(name.at[at - 1])))
		at--;
	if (at >= 3 && memcmp(name.at + at - 3, "+0x", 3) == 0 && (at < name.len || any_case))
		name.len = at - 3;
	return name;
}

static void replace_semicolons(struct wk_buf *name)
{
	for (size_t i = 0; i < name->len; i++)
		if (name->at[i] == ';')
			name->at[i] = ':';
}

static void cut_at(struct wk_buf *name, size_t len)
{
	if (len < name->len)
		name->len = len;
}

/* Methods of Go contain ".(" and later ").". */
static bool looks_like_go(struct wk_str name)
{
	size_t at = wk_str_find(name, ".(");

	return at != SIZE_MAX && wk_str_has(wk_str_skip(name, at + 2), ").");
}

static void tidy_perl(struct wk_buf *name)
{
	struct wk_str text = wk_buf_str(name);
	size_t kept = 0, end = looks_like_go(text) ? 0 : text.len;

	for (size_t i = 0; i < end; i++)
		if (text.at[i] == '(' &&
		    !wk_str_starts(wk_str_skip(text, i), "(anonymous namespace)")) {
			cut_at(name, i);
			break;
		}
	for (size_t i = 0; i < name->len; i++)
		if (name->at[i] != '"' && name->at[i] != '\'')
			name->at[kept++] = name->at[i];
	name->len = kept;
}

/* Cuts the arguments: from the first parenthesis outside of all brackets, unless it is a Go
 * method's or an anonymous namespace. */
static void tidy_inferno(struct wk_buf *name)
{
	struct wk_str text = wk_buf_str(name);
	long depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c == '(' && depth == 0 && (i == 0 || text.at[i - 1] != '.') &&
		    !wk_str_starts(wk_str_skip(text, i), "(anonymous namespace)")) {
			cut_at(name, i);
			return;
		}
		depth += c == '<' || c == '{' || c == '[' || c == '(';
		depth -= c == '>' || c == '}' || c == ']' || c == ')';
	}
}

static void tidy_java(struct wk_buf *name)
{
	if (name->len && name->at[0] == 'L' && memchr(name->at, '/', name->len)) {
		memmove(name->at, name->at + 1, name->len - 1);
		name->len--;
	}
}

/* "vmlinux", possibly with a version. */
static bool is_vmlinux(struct wk_str image)
{
	size_t at = image.len;

	while (at > 0) {
		char c = image.at[at - 1];

		if (!wk_is_hex(c) && !(c >= 'g' && c <= 'z') && !(c >= 'G' && c <= 'Z') &&
		    c != '-' && c != '.' && c != '_')
			break;
		at--;
	}
	return wk_str_has(wk_str_skip(image, at), "vmlinux");
}

static bool is_kernel(enum wk_collapse_dialect dialect, struct wk_str image)
{
	if (dialect == WK_COLLAPSE_PERL)
		return (wk_str_starts(image, "[") || wk_str_ends(image, "vmlinux")) &&
		       !wk_str_has(image, "unknown");
	return (wk_str_starts(image, "[") || wk_str_ends(image, ".ko") || is_vmlinux(image)) &&
	       !wk_str_is(image, "[unknown]");
}

/* "perf-12.map" */
static bool begins_map_name(struct wk_str text)
{
	return wk_str_accept(&text, "perf-") && wk_scan_digits(&text).len &&
	       wk_str_starts(text, ".map");
}

static bool is_jit(enum wk_collapse_dialect dialect, struct wk_str image)
{
	if (dialect == WK_COLLAPSE_INFERNO)
		return (wk_str_starts(image, "/tmp/perf-") && wk_str_ends(image, ".map")) ||
		       (wk_str_has(image, "/jitted-") && wk_str_ends(image, ".so"));
	return wk_str_accept(&image, "/tmp/") && begins_map_name(image);
}

/* One of the frames of a line. */
struct piece {
	const struct wk_collapse *collapse;
	struct wk_str image, address, source;
	bool is_java, is_first;
};

/* Adds the name, or "[image]" for an unknown one. True if the image is unknown as well. */
static bool add_name(const struct piece *piece, struct wk_str name, struct wk_buf *out)
{
	bool has_image = !wk_str_is(piece->image, "[unknown]");

	if (!wk_str_is(name, "[unknown]")) {
		wk_buf_add_str(out, name);
		return false;
	}
	wk_buf_add_char(out, '[');
	wk_buf_add_str(out, has_image ? wk_str_basename(piece->image) : wk_str_c("unknown"));
	if (piece->collapse->with_addresses) {
		wk_buf_add_text(out, " <");
		wk_buf_add_str(out, piece->address);
		wk_buf_add_char(out, '>');
	}
	wk_buf_add_char(out, ']');
	return !has_image;
}

static void add_mark(const struct piece *piece, struct wk_buf *out)
{
	const struct wk_collapse *collapse = piece->collapse;

	if (!piece->is_first) {
		if (!wk_str_has(wk_buf_str(out), "_[i]"))
			wk_buf_add_text(out, "_[i]");
	} else if (collapse->marks_kernel && is_kernel(collapse->dialect, piece->image)) {
		wk_buf_add_text(out, "_[k]");
	} else if (collapse->marks_jit && is_jit(collapse->dialect, piece->image) &&
		   !wk_str_has(wk_buf_str(out), "_[j]")) {
		wk_buf_add_text(out, "_[j]");
	}
}

/* ":file.c:12" without parts in brackets (an image's offset). */
static void add_source(struct wk_str source, struct wk_buf *out)
{
	size_t begin = out->len;

	if (wk_str_ends(source, " (inlined)"))
		source.len -= strlen(" (inlined)");
	wk_buf_add_char(out, ':');
	while (source.len) {
		struct wk_str in_brackets;

		wk_buf_add_str(out, wk_scan_to(&source, '['));
		if (!wk_str_split(source, ']', &in_brackets, &source))
			wk_buf_add_str(out, in_brackets);
	}
	if (out->len == begin + 1)
		out->len = begin;
}

static void add_piece(struct wk_script_part *part, const struct piece *piece, struct wk_str name)
{
	const struct wk_collapse *collapse = piece->collapse;
	struct wk_event_frame frame = { 0 };
	struct wk_buf out = { 0 };
	bool is_unknown = add_name(piece, name, &out);

	replace_semicolons(&out);
	if (collapse->dialect == WK_COLLAPSE_PERL)
		tidy_perl(&out);
	else
		tidy_inferno(&out);
	if (piece->is_java)
		tidy_java(&out);
	add_mark(piece, &out);
	if (collapse->with_source_line && !is_unknown)
		add_source(piece->source, &out);
	frame.name = wk_buf_str(&out);
	wk_script_add_frame(part, &frame);
	wk_buf_fini(&out);
}

static void add_pieces(struct wk_script_part *part, struct piece *piece, struct wk_str left)
{
	piece->is_first = true;
	for (size_t i = 0; i + 1 < left.len; i++)
		if (left.at[i] == '-' && left.at[i + 1] == '>') {
			add_piece(part, piece, wk_str_of(left.at, i));
			piece->is_first = false;
			left = wk_str_skip(left, i + 2);
			i = (size_t)-1;
		}
	/* Perl's split drops an empty part at the end. */
	if (left.len || piece->collapse->dialect == WK_COLLAPSE_INFERNO)
		add_piece(part, piece, left);
}

static bool is_skipped_after(const struct wk_collapse *collapse, struct wk_str name)
{
	return collapse->skip_after && wk_str_is_one_of(name, collapse->skip_after);
}

static bool has_map_name(struct wk_str image)
{
	while (image.len && !begins_map_name(image))
		image = wk_str_skip(image, 1);
	return image.len > 0;
}

/* Only files of machine code can have debug information. */
static bool may_be_inlined(struct wk_str image)
{
	return image.len && image.at[0] == '/' && !has_map_name(image) &&
	       !wk_str_has(image, "kernel.") && !wk_str_has(image, "[");
}

/* The tool prints addr2line's names unchanged. */
static void add_call(struct wk_script_part *part, const struct wk_collapse_call *call)
{
	struct wk_event_frame frame = { 0 };
	struct wk_buf out = { 0 };

	wk_buf_add_str(&out, call->function);
	if (part->collapse->with_context) {
		wk_buf_add_char(&out, ':');
		wk_buf_add_str(&out, call->file.len ? call->file : wk_str_c("??"));
		if (call->line)
			wk_buf_add_fmt(&out, ":%" PRIu32, call->line);
		else
			wk_buf_add_text(&out, ":?");
	}
	replace_semicolons(&out);
	frame.name = wk_buf_str(&out);
	wk_script_add_frame(part, &frame);
	wk_buf_fini(&out);
}

/* False if there is no information on inlined calls. */
static bool add_inlined(struct wk_script_part *part, const struct wk_script_frame_line *line,
			struct wk_str image)
{
	const struct wk_collapse_inliner *inliner = part->collapse->inliner;
	const struct wk_collapse_call *calls;
	uint64_t address;
	size_t count;

	if (!inliner || !may_be_inlined(image) || !wk_num_hex(line->address, &address))
		return false;
	count = inliner->find(inliner->context, image, address, &calls);
	for (size_t i = 0; i < count; i++)
		add_call(part, &calls[i]);
	return count > 0;
}

bool wk_script_frames_collapse(struct wk_script_part *part, const struct wk_script_frame_line *line,
			       bool is_java, bool *cuts)
{
	const struct wk_collapse *collapse = part->collapse;
	struct piece piece = { .collapse = collapse, .address = line->address,
			       .source = line->source, .is_java = is_java };
	struct wk_buf demangled = { 0 };
	struct wk_str name;

	if (!split_image(collapse->dialect, line, &name, &piece.image))
		return false;
	if (add_inlined(part, line, piece.image))
		return true;
	name = cut_offset(collapse->dialect, name);
	/* A name in parentheses is that of the process. */
	if (name.len && name.at[0] == '(')
		return true;
	if (collapse->dialect == WK_COLLAPSE_INFERNO)
		name = wk_rust_name(name, &demangled);
	add_pieces(part, &piece, name);
	*cuts = is_skipped_after(collapse, name);
	wk_buf_fini(&demangled);
	return true;
}
