#include "formats/perf_script/internal.h"

#include "base/num.h"

/* ADDRESS NAME[+0xOFFSET] (IMAGE), or ADDRESS NAME (inlined). Names and images may contain blanks
 * and parentheses. */

static size_t hex_len(struct wk_str text)
{
	size_t len = 0;

	while (len < text.len && wk_is_hex(text.at[len]))
		len++;
	return len;
}

/* The kernel is in the upper half of a 64-bit address space; on x86-64 and aarch64 the top sixteen
 * bits of its addresses are set. */
static bool is_kernel_address(struct wk_str digits)
{
	return digits.len == 16 && strncmp(digits.at, "ffff", 4) == 0;
}

static bool split(struct wk_str line, struct wk_script_frame_line *frame)
{
	struct wk_str text = wk_trim(line);
	size_t len = hex_len(text);

	if (len == 0 || len > 16 || (len < text.len && !wk_is_blank(text.at[len])))
		return false;
	frame->address = wk_str_of(text.at, len);
	frame->rest = wk_trim(wk_str_skip(text, len));
	frame->source = wk_str_of(text.at, 0);
	frame->in_kernel = is_kernel_address(frame->address);
	return true;
}

bool wk_script_is_aligned_frame(struct wk_str line)
{
	struct wk_script_frame_line frame;

	return line.len >= 17 && wk_is_blank(line.at[0]) &&
	       wk_script_line_kind(line, &frame) == WK_SCRIPT_LINE_FRAME &&
	       frame.address.at + frame.address.len == line.at + 17;
}

static bool ends_in_number(struct wk_str text, char before)
{
	size_t at = text.len;

	while (at > 0 && wk_is_digit(text.at[at - 1]))
		at--;
	return at > 0 && at < text.len && text.at[at - 1] == before;
}

/* "  file.c:12", or "  libc.so.6[27b25]" without a known line; "(inlined)" may follow. */
static bool is_source(struct wk_str line)
{
	struct wk_str text = wk_trim(line);

	if (line.len < 3 || line.at[0] != ' ' || line.at[1] != ' ' || wk_is_blank(line.at[2]))
		return false;
	if (wk_str_ends(text, " (inlined)"))
		text.len -= strlen(" (inlined)");
	return ends_in_number(text, ':') || (text.len && text.at[text.len - 1] == ']');
}

static bool is_extra(struct wk_str text)
{
	static const char *const starts[] = { "|", "insn:", "ABI:", "... ", NULL };

	return wk_str_starts_one_of(text, starts) || wk_script_branches_at(text) == 0;
}

enum wk_script_line_kind wk_script_line_kind(struct wk_str line, struct wk_script_frame_line *frame)
{
	struct wk_str text = wk_trim(line);

	if (text.len == 0)
		return WK_SCRIPT_LINE_BLANK;
	if (split(line, frame) && (text.at[text.len - 1] == ')' || !is_source(line)))
		return WK_SCRIPT_LINE_FRAME;
	if (is_source(line))
		return WK_SCRIPT_LINE_SOURCE;
	return is_extra(text) ? WK_SCRIPT_LINE_EXTRA : WK_SCRIPT_LINE_OTHER;
}

/* "FROM/TO/P/-/-/0": addresses or names; predicted or not ("PN": the branch was not taken); in a
 * transaction; aborted; cycles. */
static bool is_branch(struct wk_str word)
{
	const char *slash = word.len ? memchr(word.at, '/', word.len) : NULL;
	const char *end = word.at + word.len;

	for (const char *at = slash; at && end - at > 7; at++) {
		const char *flag = at + 2 + (at[2] == 'N');

		if (at > slash && at[0] == '/' && wk_is_any_of(at[1], "MPN-") && flag[0] == '/' &&
		    wk_is_any_of(flag[1], "X-") && flag[2] == '/' && wk_is_any_of(flag[3], "A-") &&
		    flag[4] == '/')
			return true;
	}
	return false;
}

size_t wk_script_branches_at(struct wk_str text)
{
	size_t begin = 0;

	while (begin < text.len) {
		size_t end = begin;

		while (end < text.len && !wk_is_blank(text.at[end]))
			end++;
		if (end > begin && is_branch(wk_str_of(text.at + begin, end - begin)))
			return begin;
		begin = end + 1;
	}
	return text.len;
}

static struct wk_str cut_image(struct wk_str *text, size_t at)
{
	struct wk_str image = wk_str_of(text->at + at + 1, text->len - at - 2);

	*text = wk_trim(wk_str_of(text->at, at));
	return image;
}

/* Removes "(...)" from the end of `text`. If the parentheses inside do not match, it begins at the
 * last one behind a blank. */
static struct wk_str read_image(struct wk_str *text)
{
	size_t depth = 0, last = text->len;

	for (size_t at = text->len; at-- > 0;) {
		bool begins = text->at[at] == '(' && (at == 0 || wk_is_blank(text->at[at - 1]));

		if (begins && last == text->len)
			last = at;
		if (text->at[at] == ')')
			depth++;
		else if (text->at[at] == '(' && --depth == 0)
			return begins ? cut_image(text, at) : wk_str_of(text->at, 0);
	}
	return last < text->len ? cut_image(text, last) : wk_str_of(text->at, 0);
}

/* Cuts "+0x1f" from the end of a name or an image. */
static struct wk_str without_offset(struct wk_str text)
{
	size_t at = text.len;

	while (at > 0 && wk_is_hex(text.at[at - 1]))
		at--;
	if (at < text.len && at > 3 && memcmp(text.at + at - 3, "+0x", 3) == 0)
		text.len = at - 3;
	return text;
}

static bool is_module_file(struct wk_str image)
{
	return wk_str_ends(image, ".ko") || wk_str_ends(image, ".ko.gz") ||
	       wk_str_ends(image, ".ko.xz") || wk_str_ends(image, ".ko.zst");
}

static bool is_jit(struct wk_str image, struct wk_str base)
{
	return (wk_str_starts(image, "/tmp/perf-") && wk_str_ends(image, ".map")) ||
	       (wk_str_starts(base, "jitted-") && wk_str_ends(base, ".so")) ||
	       wk_str_starts(image, "[JIT]");
}

/* Brackets enclose modules of the kernel and mappings without a file. */
static bool is_module_name(struct wk_str image)
{
	static const char *const others[] = { "[heap", "[stack", "[anon", "[vvar", "[uprobes",
					      "[vdso", "[vsyscall", "[unknown", NULL };

	return wk_str_starts(image, "[") && !wk_str_starts_one_of(image, others);
}

static enum wk_frame_kind kind_of(struct wk_str image, bool in_kernel)
{
	struct wk_str base = wk_str_basename(image);

	if (is_jit(image, base))
		return WK_FRAME_JIT;
	if (wk_str_is(image, "[vdso]") || wk_str_is(image, "[vsyscall]"))
		return WK_FRAME_USER;
	if (in_kernel || wk_str_starts(base, "vmlinux") || is_module_file(image) ||
	    is_module_name(image))
		return WK_FRAME_KERNEL;
	return image.len == 0 || wk_str_starts(image, "[") ? WK_FRAME_UNKNOWN : WK_FRAME_USER;
}

/* "file.c:12" */
static void set_source(struct wk_event_frame *frame, struct wk_str source)
{
	size_t at = source.len;
	uint64_t line;

	while (at > 0 && source.at[at - 1] != ':')
		at--;
	if (at < 2 || !wk_num_u64(wk_str_skip(source, at), &line) || line > UINT32_MAX)
		return;
	frame->file = wk_str_of(source.at, at - 1);
	frame->line = (uint32_t)line;
}

/* "[libfoo.so]" or, without an image, "[unknown]". */
static struct wk_str name_of_unnamed(struct wk_script_part *part, struct wk_str image)
{
	struct wk_str base = wk_str_basename(image);
	struct wk_buf name = { 0 };
	struct wk_str kept;

	if (image.len == 0)
		return wk_str_c("[unknown]");
	if (image.at[0] == '[')
		return image;
	wk_buf_add_char(&name, '[');
	wk_buf_add_str(&name, base);
	wk_buf_add_char(&name, ']');
	kept = wk_arena_copy(&part->texts, wk_buf_str(&name));
	wk_buf_fini(&name);
	return kept;
}

/* Java's agents print "Caller;::a->Inlined;::b" for code into which calls were inlined. In
 * names of other languages "->" is an operator. */
static void add_unfolded(struct wk_script_part *part, struct wk_event_frame *frame)
{
	struct wk_str left = frame->name;
	bool is_java = frame->kind == WK_FRAME_JIT && left.len && left.at[0] == 'L';

	for (size_t i = 1; is_java && i + 2 < left.len; i++)
		if (left.at[i] == '-' && left.at[i + 1] == '>' && left.at[i + 2] == 'L') {
			frame->name = wk_str_of(left.at, i);
			wk_script_add_frame(part, frame);
			frame->is_inlined = true;
			left = wk_str_skip(left, i + 2);
			i = 0;
		}
	frame->name = left;
	wk_script_add_frame(part, frame);
}

bool wk_script_frames_plain(struct wk_script_part *part, const struct wk_script_frame_line *line)
{
	struct wk_event_frame frame = { 0 };
	struct wk_str rest = line->rest, source = line->source;

	if (wk_str_ends(source, " (inlined)")) {
		source.len -= strlen(" (inlined)");
		frame.is_inlined = true;
	}
	if (wk_str_is(rest, "(inlined)") || wk_str_ends(rest, " (inlined)")) {
		rest = wk_trim(wk_str_of(rest.at, rest.len - strlen("(inlined)")));
		frame.is_inlined = true;
	} else if (rest.len && rest.at[rest.len - 1] == ')') {
		frame.image = without_offset(read_image(&rest));
	}
	if (wk_str_is(frame.image, "[unknown]"))
		frame.image.len = 0;
	frame.name = without_offset(rest);
	frame.kind = kind_of(frame.image, line->in_kernel);
	set_source(&frame, source);
	frame.is_unnamed = frame.name.len == 0 || wk_str_is(frame.name, "[unknown]");
	if (frame.is_unnamed)
		frame.name = name_of_unnamed(part, frame.image);
	add_unfolded(part, &frame);
	return true;
}
