/* Reports of the lightweight Java profiler. docs/formats/ljp.md */
#include "formats/text/java_frame.h"

#include "base/num.h"

/* Words of a line outside parentheses; at most four are stored. */
struct words {
	struct wk_str word[4];
	size_t count;
};

/* The place in a file is between the first "(" and the last ")". */
static struct wk_str without_place(struct wk_str line, struct wk_str *behind)
{
	struct wk_str rest = line, before = wk_scan_to(&rest, '(');
	size_t close = wk_str_find_last(rest, ')');

	*behind = (struct wk_str){ "", 0 };
	if (close == SIZE_MAX)
		return line;
	*behind = wk_str_skip(rest, close + 1);
	return before;
}

static void add_words(struct words *words, struct wk_str text)
{
	struct wk_str word;

	for (; wk_next_word(&text, &word); words->count++)
		if (words->count < 4)
			words->word[words->count] = word;
}

static struct words words_of(struct wk_str line)
{
	struct words words = { 0 };
	struct wk_str behind;

	add_words(&words, without_place(line, &behind));
	add_words(&words, behind);
	return words;
}

static bool is_head(struct wk_str line)
{
	struct words words = words_of(line);
	uint64_t number;

	return words.count == 3 && wk_num_u64(words.word[0], &number) &&
	       wk_num_u64(words.word[1], &number) && line.at[line.len - 1] == ')' &&
	       wk_str_has(words.word[2], ".");
}

/* The frame in the form of a Java line: "method(File.java:12)". */
static void add_frame(struct wk_stack_text *text, struct wk_str line, struct wk_str method)
{
	if (text->collapse) {
		wk_stack_text_name(text, method);
		return;
	}
	wk_java_frame(text, wk_str_of(method.at, (size_t)(line.at + line.len - method.at)), method);
}

static bool read_report(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct wk_stack_text text;
	struct wk_str line;
	uint64_t weight = 0;

	wk_stack_text_begin(&text, input, sink, "samples");
	while (wk_stack_text_next(&text, &line)) {
		struct words words = words_of(line);

		if (words.count && wk_str_is(words.word[0], "Total"))
			break;
		if (words.count == 3) {
			wk_stack_text_count(&text, weight);
			text.count = 0;
			if (!wk_num_u64(words.word[0], &weight)) {
				wk_stack_text_bad(&text, "a count, a number of frames, a method");
				continue;
			}
			add_frame(&text, line, words.word[2]);
		} else if (words.count == 1 && text.count) {
			add_frame(&text, line, words.word[0]);
		} else if (words.count) {
			wk_stack_text_bad(&text, "a count, a number of frames and a method, or a "
						 "method alone");
		}
	}
	wk_stack_text_count(&text, weight);
	return wk_stack_text_end(&text, "\"count frames method\", then a method on each line", err);
}

const struct wk_reader wk_reader_ljp = {
	.name = "ljp",
	.summary = "lightweight Java profiler",
	.signs = (const struct wk_line_sign[]){ { 60, is_head, NULL }, { 0 } },
	.read = read_report,
};
