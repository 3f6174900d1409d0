/* What stackcollapse-perf.pl and inferno-collapse-perf make of the lines of `perf script`: the
 * outermost frame from the command, names made tidy, marks behind them. Both keep "comm" with
 * '_' for blanks, stand "[image]" in for names that are not known, and split what Java's agents
 * print as "a->b"; they differ in what they cut from names. */
#include "formats/perf_script_internal.h"

#include "base/num.h"
#include "formats/rust_name.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t skip_digits(struct wk_str line, size_t at)
{
	while (at < line.len && is_digit(line.at[at]))
		at++;
	return at;
}

/* A comm, blanks, "pid" or "pid/tid", a blank: the first place in the line where that is so.
 * (The tool wants two characters for the comm and takes part of the line for that of "a 1 5.2:".) */
static bool perl_ids(struct wk_str line, struct wk_script_head *head)
{
	if (line.len == 0 || is_space(line.at[0]))
		return false;
	for (size_t end = 1; end < line.len; end++) {
		size_t first = end, behind, second;

		if (!is_space(line.at[end]))
			continue;
		while (first < line.len && is_space(line.at[first]))
			first++;
		behind = skip_digits(line, first);
		second = behind;
		while (second < line.len && line.at[second] == '/')
			second++;
		if (behind > first && skip_digits(line, second) < line.len &&
		    is_space(line.at[skip_digits(line, second)])) {
			size_t stop = skip_digits(line, second);

			head->comm = wk_str_of(line.at, end);
			head->tid = wk_str_of(line.at + first, behind - first);
			if (second > behind && stop > second) {
				head->pid = head->tid;
				head->tid = wk_str_of(line.at + second, stop - second);
			}
			head->who = wk_str_of(line.at, stop);
			return true;
		}
		end = first - 1;
	}
	return false;
}

/* ": PERIOD EVENT:" at the end of the line. */
static void perl_event(struct wk_str line, struct wk_script_head *head)
{
	size_t end = line.len, begin, before;

	while (end > 0 && is_space(line.at[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && !is_space(line.at[begin - 1]))
		begin--;
	if (end - begin < 2 || line.at[end - 1] != ':')
		return;
	before = begin;
	while (before > 0 && is_space(line.at[before - 1]))
		before--;
	end = before;
	while (before > 0 && is_digit(line.at[before - 1]))
		before--;
	if (before < end && wk_num_u64(wk_str_of(line.at + before, end - before), &head->period))
		head->has_period = head->period != 0;
	while (before > 0 && is_space(line.at[before - 1]))
		before--;
	if (before == 0 || line.at[before - 1] != ':' || before == begin) {
		head->has_period = false;
		return;
	}
	head->event = wk_str_of(line.at + begin, line.len - begin);
	while (head->event.at[head->event.len - 1] != ':')
		head->event.len--;
	head->event.len--;
	head->has_event = true;
}

/* The first word of digits, with or without a '/', between single or several blanks. */
static bool inferno_ids(struct wk_str line, struct wk_script_head *head, size_t *end)
{
	size_t word = 0, slash = 0;
	bool all_digits = false, after_blank = false;

	for (size_t i = 0; i < line.len; i++) {
		char c = line.at[i];

		if (c == ' ' && all_digits && !after_blank) {
			head->comm = wk_trim(wk_str_of(line.at, word - 1));
			head->tid = wk_str_of(line.at + word, i - word);
			if (slash) {
				head->pid = wk_str_of(line.at + word, slash - word);
				head->tid = wk_str_of(line.at + slash + 1, i - slash - 1);
			}
			head->who = wk_str_of(line.at, i);
			*end = i + 1;
			return true;
		}
		if (c == ' ') {
			word = i + 1;
			all_digits = true;
			slash = 0;
		} else if (c == '/' && all_digits) {
			slash = i;
		} else if (!is_digit(c)) {
			all_digits = false;
		}
		after_blank = c == ' ';
	}
	return false;
}

static struct wk_str up_to(struct wk_str text, char stop, size_t *next)
{
	const char *at = text.len ? memchr(text.at, stop, text.len) : NULL;

	*next = at ? (size_t)(at - text.at) + 1 : text.len + 1;
	return wk_str_of(text.at, at ? (size_t)(at - text.at) : text.len);
}

static struct wk_str last_word(struct wk_str *text)
{
	size_t at = text->len;
	struct wk_str word;

	while (at > 0 && text->at[at - 1] != ' ')
		at--;
	word = wk_str_skip(*text, at);
	text->len = at ? at - 1 : 0;
	return word;
}

/* A frame on the same line stands behind the event and its modifiers. */
static void inferno_frame(struct wk_str behind, struct wk_script_head *head)
{
	struct wk_script_frame_line frame;
	size_t at = 0;

	while (at < behind.len && behind.at[at] != ':' && behind.at[at] != ' ')
		at++;
	behind = wk_trim(wk_str_skip(behind, at < behind.len ? at + 1 : 0));
	if (behind.len && behind.at[behind.len - 1] == ')' &&
	    wk_script_line_kind(behind, &frame) == WK_SCRIPT_LINE_FRAME)
		head->frame = behind;
}

/* What stands between the first two colons behind the numbers: the period and the event, which
 * so loses its modifiers. */
static void inferno_event(struct wk_str behind, struct wk_script_head *head)
{
	size_t next;
	struct wk_str piece = up_to(behind, ':', &next);

	if (next > behind.len)
		return;
	behind = wk_str_skip(behind, next);
	piece = up_to(behind, ':', &next);
	head->event = last_word(&piece);
	head->has_event = true;
	/* perf pads names of events to one length; the tool misses a period before such blanks. */
	piece = wk_trim(piece);
	head->has_period = wk_num_u64(last_word(&piece), &head->period);
	inferno_frame(wk_str_skip(behind, next), head);
}

static bool head_of_inferno(struct wk_str line, struct wk_script_head *head)
{
	size_t end;

	if (!inferno_ids(line, head, &end))
		return false;
	inferno_event(wk_str_skip(line, end), head);
	return true;
}

static bool head_of_perl(struct wk_str line, struct wk_script_head *head)
{
	struct wk_script_head full;

	if (!perl_ids(line, head))
		return wk_script_head_parse(line, head) && head->frame.len;
	perl_event(line, head);
	/* The tool knows no samples of one line; here they count. */
	if (!head->has_event && wk_script_head_parse(line, &full) && full.frame.len)
		head->frame = full.frame;
	return true;
}

bool wk_script_head_collapse(const struct wk_collapse *collapse, struct wk_str line,
			   struct wk_script_head *head)
{
	*head = (struct wk_script_head){ .cpu = WK_NO_CPU };
	while (line.len && is_space(line.at[line.len - 1]) &&
	       collapse->dialect == WK_COLLAPSE_INFERNO)
		line.len--;
	return collapse->dialect == WK_COLLAPSE_INFERNO ? head_of_inferno(line, head)
							: head_of_perl(line, head);
}

void wk_script_root_name(const struct wk_collapse *collapse, const struct wk_script_head *head,
		       struct wk_buf *name)
{
	struct wk_str pid = head->pid.len ? head->pid : wk_str_c("?");

	wk_buf_reset(name);
	for (size_t i = 0; i < head->comm.len; i++)
		wk_buf_add_char(name, head->comm.at[i] == ' ' ? '_' : head->comm.at[i]);
	if (!collapse->with_pid && !collapse->with_tid)
		return;
	wk_buf_add_char(name, '-');
	wk_buf_add_str(name, pid);
	if (collapse->with_tid) {
		wk_buf_add_char(name, '/');
		wk_buf_add_str(name, head->tid);
	}
}

/* Where the parenthesis of an image begins that ends at `close`: the one tool takes the last
 * behind a blank, the other the last word. Images with "(deleted)" in them, which both take
 * apart, stay whole. */
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

/* A line's name and image; without an image it may be inlined, as the line of source tells. */
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
	/* Where there is no name both print a blank. */
	if (name->len == 0)
		*name = wk_str_c(" ");
	return true;
}

static bool is_lower_hex(char c)
{
	return is_hex(c) && !(c >= 'A' && c <= 'F');
}

static struct wk_str cut_offset(enum wk_collapse_dialect dialect, struct wk_str name)
{
	bool any_case = dialect == WK_COLLAPSE_INFERNO;
	size_t at = name.len;

	while (at > 0 && (any_case ? is_hex(name.at[at - 1]) : is_lower_hex(name.at[at - 1])))
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

/* Is there ".(", and further on ")."? So look Go's methods. */
static bool looks_like_go(struct wk_str name)
{
	size_t at = 0;

	while (at + 1 < name.len && !(name.at[at] == '.' && name.at[at + 1] == '('))
		at++;
	for (at += 2; at + 1 < name.len; at++)
		if (name.at[at] == ')' && name.at[at + 1] == '.')
			return true;
	return false;
}

static void tidy_perl(struct wk_buf *name)
{
	struct wk_str text = wk_buf_str(name);
	size_t kept = 0;

	for (size_t i = 0; !looks_like_go(text) && i < text.len; i++)
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

static bool has_text(struct wk_str text, const char *wanted)
{
	size_t len = strlen(wanted);

	for (size_t i = 0; i + len <= text.len; i++)
		if (memcmp(text.at + i, wanted, len) == 0)
			return true;
	return false;
}

/* "vmlinux", perhaps with a version behind it. */
static bool is_vmlinux(struct wk_str image)
{
	size_t at = image.len;

	while (at > 0) {
		char c = image.at[at - 1];

		if (!is_hex(c) && !(c >= 'g' && c <= 'z') && !(c >= 'G' && c <= 'Z') && c != '-' &&
		    c != '.' && c != '_')
			break;
		at--;
	}
	return has_text(wk_str_skip(image, at), "vmlinux");
}

static bool is_kernel(enum wk_collapse_dialect dialect, struct wk_str image)
{
	if (dialect == WK_COLLAPSE_PERL)
		return (wk_str_starts(image, "[") || wk_str_ends(image, "vmlinux")) &&
		       !has_text(image, "unknown");
	return (wk_str_starts(image, "[") || wk_str_ends(image, ".ko") || is_vmlinux(image)) &&
	       !wk_str_is(image, "[unknown]");
}

static bool is_jit(enum wk_collapse_dialect dialect, struct wk_str image)
{
	size_t digits;

	if (dialect == WK_COLLAPSE_INFERNO)
		return (wk_str_starts(image, "/tmp/perf-") && wk_str_ends(image, ".map")) ||
		       (has_text(image, "/jitted-") && wk_str_ends(image, ".so"));
	digits = strlen("/tmp/perf-");
	return wk_str_starts(image, "/tmp/perf-") && skip_digits(image, digits) > digits &&
	       wk_str_starts(wk_str_skip(image, skip_digits(image, digits)), ".map");
}

/* One of the frames of a line. */
struct piece {
	const struct wk_collapse *collapse;
	struct wk_str image, address, source;
	bool is_java, is_first;
};

/* Stands something in for a name that is not known. True if nothing at all is. */
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
		if (!has_text(wk_buf_str(out), "_[i]"))
			wk_buf_add_text(out, "_[i]");
	} else if (collapse->marks_kernel && is_kernel(collapse->dialect, piece->image)) {
		wk_buf_add_text(out, "_[k]");
	} else if (collapse->marks_jit && is_jit(collapse->dialect, piece->image) &&
		   !has_text(wk_buf_str(out), "_[j]")) {
		wk_buf_add_text(out, "_[j]");
	}
}

/* ":file.c:12" behind the name; what stands in brackets (an image's offset) is dropped. */
static void add_source(struct wk_str source, struct wk_buf *out)
{
	size_t begin = out->len;

	if (wk_str_ends(source, " (inlined)"))
		source.len -= strlen(" (inlined)");

	wk_buf_add_char(out, ':');
	while (source.len) {
		size_t next;
		struct wk_str close = { 0 };

		wk_buf_add_str(out, up_to(source, '[', &next));
		if (next > source.len)
			break;
		close = wk_str_skip(source, next);
		up_to(close, ']', &next);
		if (next > close.len) {
			wk_buf_add_str(out, wk_str_skip(source, (size_t)(close.at - source.at) - 1));
			break;
		}
		source = wk_str_skip(close, next);
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
	/* What is empty at the end perl's split drops. */
	if (left.len || piece->collapse->dialect == WK_COLLAPSE_INFERNO)
		add_piece(part, piece, left);
}

static bool is_skipped_after(const struct wk_collapse *collapse, struct wk_str name)
{
	for (size_t i = 0; collapse->skip_after && collapse->skip_after[i]; i++)
		if (wk_str_is(name, collapse->skip_after[i]))
			return true;
	return false;
}

bool wk_script_frames_collapse(struct wk_script_part *part, const struct wk_script_frame_line *line,
			     bool is_java, bool *cuts)
{
	const struct wk_collapse *collapse = part->collapse;
	struct piece piece = { .collapse = collapse, .address = line->address,
			       .source = line->source, .is_java = is_java };
	struct wk_buf mended = { 0 };
	struct wk_str name;

	if (!split_image(collapse->dialect, line, &name, &piece.image))
		return false;
	name = cut_offset(collapse->dialect, name);
	/* A name in parentheses is the process's own. */
	if (name.len && name.at[0] == '(')
		return true;
	if (collapse->dialect == WK_COLLAPSE_INFERNO)
		name = wk_rust_name(name, &mended);
	add_pieces(part, &piece, name);
	*cuts = is_skipped_after(collapse, name);
	wk_buf_fini(&mended);
	return true;
}
