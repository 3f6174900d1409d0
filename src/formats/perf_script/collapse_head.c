/* A sample's first line as stackcollapse-perf.pl and inferno-collapse-perf parse it: the command
 * with '_' for blanks, the ids if an option includes them, the event and its period. */
#include "formats/perf_script/internal.h"

#include "base/num.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The first match of a comm, blanks, "pid" or "pid/tid", and a blank. (The tool requires two
 * characters for the comm, so that it accepts "a 1 5.2:" as one.) */
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
		behind = wk_script_skip_digits(line, first);
		second = behind;
		while (second < line.len && line.at[second] == '/')
			second++;
		if (behind > first && wk_script_skip_digits(line, second) < line.len &&
		    is_space(line.at[wk_script_skip_digits(line, second)])) {
			size_t stop = wk_script_skip_digits(line, second);

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
	while (before > 0 && wk_is_digit(line.at[before - 1]))
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
		} else if (!wk_is_digit(c)) {
			all_digits = false;
		}
		after_blank = c == ' ';
	}
	return false;
}

static struct wk_str last_word(struct wk_str *text)
{
	size_t blank = wk_str_find_last(*text, ' ');
	struct wk_str word = wk_str_skip(*text, blank == SIZE_MAX ? 0 : blank + 1);

	text->len = blank == SIZE_MAX ? 0 : blank;
	return word;
}

/* A frame on the same line follows the event and its modifiers. */
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

/* The period and the event are between the first two colons behind the ids, so that the event loses
 * its modifiers. */
static void inferno_event(struct wk_str behind, struct wk_script_head *head)
{
	struct wk_str piece;

	if (!wk_str_split(behind, ':', &piece, &behind))
		return;
	wk_str_split(behind, ':', &piece, &behind);
	head->event = last_word(&piece);
	head->has_event = true;
	/* perf pads event names to one length; the tool misses a period before such blanks. */
	piece = wk_trim(piece);
	head->has_period = wk_num_u64(last_word(&piece), &head->period);
	inferno_frame(behind, head);
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
	/* Unlike the tool, count samples of a single line. */
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
