#include "render/label.h"

#define ELLIPSIS    "…"
#define LEAST_ROOM  4
#define MOST_BYTES  4096 /* of a name that is worth understanding; longer ones are just cut */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == ':' || (c & 0x80);
}

static size_t characters(const char *at, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += (at[i] & 0xc0) != 0x80;
	return count;
}

static bool is_operator(const char *at, size_t len)
{
	return wk_str_ends(wk_str_of(at, len), "operator") ||
	       wk_str_ends(wk_str_of(at, len), "operator<");
}

/* What C++ writes behind a name and nobody reads in a narrow frame. */
static bool is_trailer(struct wk_str rest)
{
	return wk_str_is(rest, " const") || wk_str_starts(rest, " (.llvm.") ||
	       wk_str_starts(rest, " [clone ");
}

/* Does the '(' at `i` open parameters, rather than a tuple or "(anonymous namespace)"? */
static bool opens_parameters(const struct wk_buf *label, size_t i)
{
	char before = i ? label->at[i - 1] : 0;

	return (before == '>' || before == ')' || (before != ':' && is_name_char(before))) &&
	       !is_operator(label->at, i);
}

/* "run(llvm::Function&) const" to "run"; "operator()" stays. */
static void drop_parameters(struct wk_buf *label)
{
	struct wk_buf kept = { 0 };
	int angles = 0, open = 0;

	for (size_t i = 0; i < label->len; i++) {
		char c = label->at[i];

		if (!open && is_trailer(wk_str_of(label->at + i, label->len - i)))
			break;
		if (c == '<' && !is_operator(label->at, i))
			angles++;
		else if (c == '>' && angles && label->at[i - 1] != '-')
			angles--;
		if (c == '(' && (open || (angles == 0 && opens_parameters(label, i))))
			open++;
		if (!open)
			wk_buf_add_char(&kept, c);
		if (c == ')' && open)
			open--;
	}
	if (open || kept.len == 0) {
		wk_buf_fini(&kept);
		return;
	}
	wk_buf_fini(label);
	*label = kept;
}

/* "<u8, Global>" behind a name becomes "<..>", and "::<u8>" nothing. */
static void close_arguments(struct wk_buf *folded)
{
	if (folded->len > 2 && wk_str_ends(wk_buf_str(folded), "::"))
		folded->at[folded->len -= 2] = '\0';
	else
		wk_buf_add_text(folded, "<..>");
}

/* A '<' behind a name opens its arguments; one at the start of a path is part of it. The
 * '>' of an arrow closes nothing. Brackets that do not match leave the name as it is. */
static void fold_arguments(struct wk_buf *label)
{
	struct wk_buf folded = { 0 };
	size_t open = 0;

	for (size_t i = 0; i < label->len; i++) {
		char c = label->at[i];

		if (c == '<' && (open || (i && is_name_char(label->at[i - 1]))) &&
		    !is_operator(label->at, i))
			open++;
		if (!open)
			wk_buf_add_char(&folded, c);
		if (c == '>' && open && label->at[i - 1] != '-' && --open == 0)
			close_arguments(&folded);
	}
	if (open) {
		wk_buf_fini(&folded);
		return;
	}
	wk_buf_fini(label);
	*label = folded;
}

/* "Vec<..>::push" to "Vec::push". */
static void drop_arguments(struct wk_buf *label)
{
	static const char mark[] = "<..>";
	size_t kept = 0;

	for (size_t i = 0; i < label->len; i++) {
		if (kept && wk_str_starts(wk_str_of(label->at + i, label->len - i), mark))
			i += sizeof(mark) - 2;
		else
			label->at[kept++] = label->at[i];
	}
	label->at[label->len = kept] = '\0';
}

/* Where the last step of the path begins: behind the last "::" outside of brackets. */
static size_t last_step(const struct wk_buf *label)
{
	size_t last = 0;
	int open = 0;

	for (size_t i = 0; i + 2 < label->len; i++) {
		char c = label->at[i];

		if (c == '<' || c == '(' || c == '[' || c == '{')
			open++;
		else if ((c == '>' && (i == 0 || label->at[i - 1] != '-')) || c == ')' ||
			 c == ']' || c == '}')
			open--;
		else if (open <= 0 && c == ':' && label->at[i + 1] == ':')
			last = i + 2;
	}
	return last;
}

/* As much of the end as has room behind an ellipsis, but never less than the last step. */
static void drop_path(struct wk_buf *label, size_t room)
{
	struct wk_buf rest = { 0 };
	size_t last = last_step(label), from = label->len, left = room - 1;
	bool is_cut = characters(label->at + last, label->len - last) > left;

	if (last == 0)
		return;
	while (!is_cut && from > 0 && left > 0) {
		from--;
		left -= (label->at[from] & 0xc0) != 0x80;
	}
	while (from < last && label->at[from] == ':')
		from++;
	if (is_cut)
		from = last;
	else
		wk_buf_add_text(&rest, ELLIPSIS);
	wk_buf_add(&rest, label->at + from, label->len - from);
	wk_buf_fini(label);
	*label = rest;
}

static void cut_end(struct wk_buf *label, size_t room)
{
	size_t at = 0, count = 0;

	if (characters(label->at, label->len) <= room)
		return;
	for (; at < label->len; at++) {
		count += (label->at[at] & 0xc0) != 0x80;
		if (count == room)
			break;
	}
	label->len = at;
	wk_buf_add_text(label, ELLIPSIS);
}

void wk_label_fit(struct wk_buf *label, size_t room)
{
	if (room < LEAST_ROOM) {
		wk_buf_reset(label);
		return;
	}
	if (label->len == 0 || characters(label->at, label->len) <= room)
		return;
	if (label->len <= MOST_BYTES) {
		drop_parameters(label);
		if (characters(label->at, label->len) > room)
			fold_arguments(label);
		if (characters(label->at, label->len) > room)
			drop_arguments(label);
		if (characters(label->at, label->len) > room)
			drop_path(label, room);
	}
	cut_end(label, room);
}
