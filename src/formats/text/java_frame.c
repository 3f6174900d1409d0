#include "formats/text/java_frame.h"

#include "base/buf.h"

bool wk_java_method(struct wk_str line, struct wk_str *method)
{
	wk_scan_blanks(&line);
	if (!wk_str_accept(&line, "at "))
		return false;
	*method = wk_scan_to(&line, '(');
	return true;
}

/* The start of "Class.method": after the last dot but one. False if there is no package, or a part
 * is empty. */
static bool find_class(struct wk_str method, size_t *start)
{
	size_t last = wk_str_find_last(method, '.'), before;

	if (last == SIZE_MAX || last + 1 == method.len)
		return false;
	before = wk_str_find_last(wk_str_of(method.at, last), '.');
	if (before == SIZE_MAX || before + 1 == last)
		return false;
	*start = before + 1;
	return true;
}

static bool is_word(char c)
{
	return wk_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* "java.lang.Thread.run" becomes "j.l.Thread.run". */
static void add_short(struct wk_buf *out, struct wk_str method, size_t class_start)
{
	for (size_t i = 0; i < class_start; i++)
		if (!is_word(method.at[i]) || i == 0 || !is_word(method.at[i - 1]))
			wk_buf_add_char(out, method.at[i]);
	wk_buf_add_str(out, wk_str_skip(method, class_start));
}

static void add_collapsed(struct wk_stack_text *text, struct wk_str method)
{
	struct wk_buf shorter = { 0 };
	size_t class_start;

	if (text->collapse->no_modules && find_class(method, &class_start)) {
		wk_stack_text_name(text, wk_str_skip(method, class_start));
	} else if (text->collapse->short_packages && find_class(method, &class_start)) {
		add_short(&shorter, method, class_start);
		wk_stack_text_name(text, wk_buf_str(&shorter));
	} else {
		wk_stack_text_name(text, method);
	}
	wk_buf_fini(&shorter);
}

/* "java.base@17/File.java:12", "File.java", "Native Method" ... */
static void read_place(struct wk_str place, struct wk_event_frame *frame)
{
	size_t slash = wk_str_find_last(place, '/');

	if (slash != SIZE_MAX) {
		frame->image = wk_str_of(place.at, slash);
		place = wk_str_skip(place, slash + 1);
	}
	if (wk_str_is(place, "Native Method") || wk_str_is(place, "Unknown Source"))
		return;
	wk_cut_line(&place, &frame->line);
	frame->file = place;
}

/* "java.base/java.lang.Thread.run" begins with its module or class loader. The slash in
 * "Cart$$Lambda$14/0x7f00.run" is part of a name. */
static void read_module(struct wk_event_frame *frame)
{
	struct wk_str whole = frame->name, rest = whole, before;

	while (before = wk_scan_to(&rest, '/'), rest.len > 1) {
		if (wk_is_digit(rest.at[1]) || wk_str_find(before, "$") != SIZE_MAX)
			return;
		if (before.len)
			frame->image = wk_str_of(whole.at, whole.len - rest.len);
		rest = wk_str_skip(rest, 1);
		frame->name = rest;
	}
}

void wk_java_frame(struct wk_stack_text *text, struct wk_str line, struct wk_str method)
{
	struct wk_event_frame frame = { .name = wk_trim(method) };

	if (text->collapse) {
		add_collapsed(text, method);
		return;
	}
	read_module(&frame);
	wk_str_cut(&line, '(');
	read_place(wk_scan_to(&line, ')'), &frame);
	wk_stack_text_frame(text, &frame);
}
