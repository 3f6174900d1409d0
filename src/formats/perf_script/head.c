#include "formats/perf_script/internal.h"

#include "base/num.h"

/* COMM PID[/TID] [CPU] TIME: PERIOD EVENT: REST; some of these may be missing, and COMM may contain
 * blanks and numbers. */

/* The next word from `*at` on; empty at the end. */
static struct wk_str next_word(struct wk_str line, size_t *at)
{
	size_t begin = *at, end;

	while (begin < line.len && wk_is_blank(line.at[begin]))
		begin++;
	end = begin;
	while (end < line.len && !wk_is_blank(line.at[end]))
		end++;
	*at = end;
	return wk_str_of(line.at + begin, end - begin);
}

/* The length of a number, which may be negative: a thread that has exited is -1. */
static size_t id_at(struct wk_str word, size_t at)
{
	size_t sign = at < word.len && word.at[at] == '-';
	size_t end = wk_script_skip_digits(word, at + sign);

	return end > at + sign ? end - at : 0;
}

/* "123" is a thread, "123/456" a process and its thread. */
static bool ids_of(struct wk_str word, struct wk_str *pid, struct wk_str *tid)
{
	size_t first = id_at(word, 0), second;

	if (first == 0)
		return false;
	*pid = wk_str_of(word.at, 0);
	*tid = wk_str_of(word.at, first);
	if (first == word.len)
		return true;
	second = word.at[first] == '/' ? id_at(word, first + 1) : 0;
	if (second == 0 || first + 1 + second != word.len)
		return false;
	*pid = *tid;
	*tid = wk_str_of(word.at + first + 1, second);
	return true;
}

/* "[003]", "[-01]" */
static bool cpu_of(struct wk_str word, uint32_t *cpu)
{
	uint64_t number = 0;

	if (word.len < 3 || word.at[0] != '[' || word.at[word.len - 1] != ']' ||
	    id_at(word, 1) != word.len - 2)
		return false;
	*cpu = wk_num_u64(wk_str_of(word.at + 1, word.len - 2), &number) && number < WK_NO_CPU
		       ? (uint32_t)number
		       : WK_NO_CPU;
	return true;
}

/* "4794564.109216:" in nanoseconds; 0 if there are too many digits. */
static bool time_of(struct wk_str word, uint64_t *time_ns)
{
	size_t seconds = wk_script_skip_digits(word, 0), fraction;
	uint64_t value = 0;

	if (seconds == 0 || seconds + 2 > word.len || word.at[seconds] != '.')
		return false;
	fraction = wk_script_skip_digits(word, seconds + 1) - seconds - 1;
	if (fraction == 0 || seconds + fraction + 2 != word.len || word.at[word.len - 1] != ':')
		return false;
	if (seconds > 10)
		return *time_ns = 0, true;
	for (size_t i = 0; i < seconds; i++)
		value = value * 10 + (uint64_t)(word.at[i] - '0');
	for (size_t i = 0; i < 9; i++)
		value = value * 10 +
			(i < fraction ? (uint64_t)(word.at[seconds + 1 + i] - '0') : 0);
	*time_ns = value;
	return true;
}

static bool ends_in_colon(struct wk_str word)
{
	return word.len > 1 && word.at[word.len - 1] == ':';
}

static void set_event(struct wk_script_head *head, struct wk_str word)
{
	head->event = wk_str_of(word.at, word.len - 1);
	head->has_event = true;
}

#define ADDRESS_COLUMNS 16

/* The only frame of a sample without a call chain; branches may follow it. Without an image (-F
 * ip,sym) its address is recognized by the columns. */
static void read_rest(struct wk_script_head *head, struct wk_str rest)
{
	struct wk_script_frame_line frame;
	const char *begin = rest.at;

	rest.len = wk_script_branches_at(rest);
	rest = wk_trim(rest);
	if (rest.len && wk_script_line_kind(rest, &frame) == WK_SCRIPT_LINE_FRAME &&
	    (frame.rest.len == 0 || rest.at[rest.len - 1] == ')' ||
	     frame.address.at + frame.address.len == begin + 2 + ADDRESS_COLUMNS))
		head->frame = rest;
}

static void read_record(struct wk_script_head *head, struct wk_str line, struct wk_str word,
			size_t at)
{
	head->is_record = true;
	if (wk_str_is(word, "PERF_RECORD_LOST") && wk_str_is(next_word(line, &at), "lost") &&
	    !wk_num_u64(next_word(line, &at), &head->lost))
		head->lost = 0;
}

/* Behind the time: PERIOD EVENT: REST. */
static void read_tail(struct wk_script_head *head, struct wk_str line, size_t at)
{
	size_t begin = at;
	struct wk_str word = next_word(line, &at);
	size_t behind = at;
	struct wk_str second = next_word(line, &behind);

	if (wk_str_starts(word, "PERF_RECORD_")) {
		read_record(head, line, word, at);
		return;
	}
	if (word.len && wk_script_skip_digits(word, 0) == word.len &&
	    (second.len == 0 || ends_in_colon(second)) && wk_num_u64(word, &head->period)) {
		head->has_period = true;
		begin = at;
		at = behind;
		word = second;
	}
	if (ends_in_colon(word)) {
		set_event(head, word);
		begin = at;
	}
	read_rest(head, wk_str_skip(line, begin));
}

/* A word that may be the numbers of the process and thread. */
struct ids {
	struct wk_str word, pid, tid;
	size_t end;   /* of the word in the line */
	size_t index; /* of the word, from 1; 0: none */
};

/* What the words up to the time or the event contained so far. The name may contain numbers, so the
 * last two candidates are kept; none may follow the CPU. */
struct opening {
	struct ids last, before;
	bool has_cpu;
	size_t index; /* of the current word */
};

static void read_word(struct opening *opening, struct wk_script_head *head, struct wk_str word,
		      size_t end)
{
	struct ids ids = { .word = word, .end = end, .index = opening->index };

	if (opening->last.index && opening->last.index + 1 == opening->index &&
	    cpu_of(word, &head->cpu)) {
		opening->has_cpu = true;
	} else if (ids_of(word, &ids.pid, &ids.tid) && !opening->has_cpu) {
		opening->before = opening->last;
		opening->last = ids;
	}
}

#define PERIOD_COLUMNS 10 /* the number of a thread has 5 or 7, unless it is longer */

static bool is_number(struct wk_str word)
{
	return word.len && wk_script_skip_digits(word, 0) == word.len;
}

/* Is it a number where perf prints a period, behind a blank? */
static bool is_period(struct wk_str line, struct wk_str word)
{
	size_t begin = (size_t)(word.at - line.at), end = begin + word.len;

	while (begin > 0 && line.at[begin - 1] == ' ')
		begin--;
	return is_number(word) && end - begin >= PERIOD_COLUMNS + (begin > 0);
}

/* Without a time, two consecutive numbers are the thread and the period; or the first is the
 * command's name. */
static struct ids choose_ids(const struct opening *opening, struct wk_str line,
			     struct wk_script_head *head)
{
	const struct ids *last = &opening->last, *before = &opening->before;

	if (opening->has_cpu || !before->index || before->index + 1 != last->index ||
	    last->index + 1 != opening->index ||
	    (before->index == 1 && before->pid.len == 0 && !is_period(line, last->word)) ||
	    !wk_num_u64(last->word, &head->period))
		return *last;
	head->has_period = true;
	return *before;
}

/* Is the only number in front of the event its period? */
static bool has_only_period(const struct opening *opening, struct wk_str line)
{
	const struct ids *last = &opening->last, *before = &opening->before;

	return !opening->has_cpu && last->index + 1 == opening->index &&
	       (!before->index || before->index + 1 != last->index) && is_period(line, last->word);
}

/* Behind the CPU, a number in front of the event is the period. */
static void read_late_period(struct wk_script_head *head, struct wk_str line, size_t event_begin)
{
	size_t end = event_begin, begin;

	while (end > 0 && wk_is_blank(line.at[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && wk_is_digit(line.at[begin - 1]))
		begin--;
	if (begin < end && wk_is_blank(line.at[begin - 1]))
		head->has_period =
			wk_num_u64(wk_str_of(line.at + begin, end - begin), &head->period);
}

static void set_ids(struct wk_script_head *head, struct wk_str line, const struct ids *ids)
{
	head->pid = ids->pid;
	head->tid = ids->tid;
	head->comm = wk_trim(wk_str_of(line.at, (size_t)(ids->word.at - line.at)));
	head->who = wk_str_of(line.at, ids->end);
}

/* A first line with the number of a thread. */
static bool parse_numbered(struct wk_str line, struct wk_script_head *head)
{
	struct opening opening = { .index = 1 };
	size_t at = 0;
	struct wk_str word = next_word(line, &at);
	bool has_early_time = false;

	*head = (struct wk_script_head){ .cpu = WK_NO_CPU };
	for (; word.len; word = next_word(line, &at), opening.index++) {
		bool has_colon = opening.last.index && ends_in_colon(word);

		if (has_colon && time_of(word, &head->time_ns)) {
			set_ids(head, line, &opening.last);
			head->has_time = true;
			read_tail(head, line, at);
			return true;
		}
		/* What is behind an early time and no time is the period. */
		if (has_colon && (has_early_time || has_only_period(&opening, line)))
			return false;
		if (has_colon) {
			struct ids ids = choose_ids(&opening, line, head);

			set_ids(head, line, &ids);
			if (opening.has_cpu)
				read_late_period(head, line, (size_t)(word.at - line.at));
			set_event(head, word);
			read_rest(head, wk_str_skip(line, at));
			return true;
		}
		has_early_time |= !opening.last.index && time_of(word, &head->time_ns);
		read_word(&opening, head, word, at);
	}
	return false;
}

/* Cuts the last word off; empty if there is none. */
static struct wk_str last_word(struct wk_str *line)
{
	size_t end = line->len, begin;

	while (end > 0 && wk_is_blank(line->at[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && !wk_is_blank(line->at[begin - 1]))
		begin--;
	line->len = begin;
	return wk_str_of(line->at + begin, end - begin);
}

/* A number on its own. */
static void set_only_number(struct wk_script_head *head, struct wk_str line, struct wk_str word)
{
	if (word.at + word.len >= line.at + PERIOD_COLUMNS)
		head->has_period = wk_num_u64(word, &head->period);
	if (!head->has_period)
		head->who = head->tid = word;
}

/* The event, and the period between the time and it or where perf prints one. */
static void cut_event(struct wk_script_head *head, struct wk_str *line)
{
	struct wk_str left = *line, word = last_word(&left), before;
	uint64_t time_ns;
	bool has_columns;

	if (!ends_in_colon(word) || time_of(word, &time_ns))
		return;
	set_event(head, word);
	*line = before = left;
	word = last_word(&before);
	has_columns = is_period(*line, word);
	left = before;
	if (!has_columns && (!is_number(word) || !time_of(last_word(&before), &time_ns)))
		return;
	head->has_period = wk_num_u64(word, &head->period);
	*line = left;
}

static void cut_time_and_cpu(struct wk_script_head *head, struct wk_str *line)
{
	struct wk_str left = *line;

	if (time_of(last_word(&left), &head->time_ns)) {
		head->has_time = true;
		*line = left;
	}
	left = *line;
	if (cpu_of(last_word(&left), &head->cpu))
		*line = left;
}

void wk_script_head_parse_bare(struct wk_str line, struct wk_script_head *head)
{
	struct wk_str left, word, pid, tid;

	cut_event(head, &line);
	cut_time_and_cpu(head, &line);
	left = line;
	word = last_word(&left);
	if (is_number(word) && wk_trim(left).len == 0) {
		set_only_number(head, left, word);
		return;
	}
	head->comm = head->who = wk_trim(line);
	if (ids_of(word, &pid, &tid)) {
		head->pid = pid;
		head->tid = tid;
		head->comm = wk_trim(left);
	}
}

/* Two blanks and 16 columns: "             7f7eef5a66a8". `from` is the end of the word before. */
static bool is_only_address(struct wk_str line, struct wk_str word, size_t from)
{
	size_t end = (size_t)(word.at - line.at) + word.len;

	for (size_t i = 0; i < word.len; i++)
		if (!wk_is_hex(word.at[i]))
			return false;
	return word.len <= ADDRESS_COLUMNS && from > 0 && end >= from + 2 + ADDRESS_COLUMNS &&
	       line.at[end - ADDRESS_COLUMNS - 2] == ' ';
}

/* A first line without a number that contains the only frame (-F comm,time,ip,sym). */
static bool parse_one_line(struct wk_str line, struct wk_script_head *head)
{
	size_t at = 0, from = 0;

	*head = (struct wk_script_head){ .cpu = WK_NO_CPU };
	for (struct wk_str word = next_word(line, &at); word.len; word = next_word(line, &at)) {
		if (is_only_address(line, word, from)) {
			size_t columns = at - ADDRESS_COLUMNS - 2;

			head->frame = wk_str_skip(line, (size_t)(word.at - line.at));
			head->frame.len = wk_script_branches_at(head->frame);
			head->frame = wk_trim(head->frame);
			wk_script_head_parse_bare(wk_str_of(line.at, columns), head);
			return true;
		}
		from = at;
	}
	return false;
}

bool wk_script_head_parse(struct wk_str line, struct wk_script_head *head)
{
	return parse_numbered(line, head) || parse_one_line(line, head);
}
