/* What a reader makes of a text when it is asked for an older tool's lines: one folded line a
 * distinct stack, sorted, with the counts added up. */
#ifndef WK_TESTS_COLLAPSE_LINES_H
#define WK_TESTS_COLLAPSE_LINES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/collapse.h"
#include "formats/reader.h"

struct collapse_lines {
	char **frames; /* [number] */
	char **stacks; /* [number]: the folded line without its count */
	size_t frames_cap, stacks_cap;
	struct collapse_line {
		const char *text;
		uint64_t count;
	} * lines;
	size_t count, cap;
};

static void collapse_stack(struct collapse_lines *seen, uint32_t number, uint32_t parent,
			   uint32_t frame)
{
	struct wk_buf line = { 0 };

	if (parent)
		wk_buf_add_fmt(&line, "%s;", seen->stacks[parent]);
	wk_buf_add_text(&line, seen->frames[frame]);
	seen->stacks = wk_grow(seen->stacks, &seen->stacks_cap, (size_t)number + 1, sizeof(char *));
	seen->stacks[number] = wk_strndup(wk_buf_text(&line), line.len);
	wk_buf_fini(&line);
}

static bool collapse_take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct collapse_lines *seen = context;

	(void)err;
	if (event->kind == WK_EVENT_FRAME) {
		seen->frames = wk_grow(seen->frames, &seen->frames_cap,
				       (size_t)event->frame.number + 1, sizeof(char *));
		seen->frames[event->frame.number] =
			wk_strndup(event->frame.name.at, event->frame.name.len);
	} else if (event->kind == WK_EVENT_STACKS) {
		for (uint32_t i = 0; i < event->stacks.count; i++)
			collapse_stack(seen, event->stacks.first + i,
				       event->stacks.entries[i].parent,
				       event->stacks.entries[i].label);
	} else if (event->kind == WK_EVENT_SAMPLE) {
		seen->lines =
			wk_grow(seen->lines, &seen->cap, seen->count + 1, sizeof(*seen->lines));
		seen->lines[seen->count++] = (struct collapse_line){
			event->sample.named_stack ? seen->stacks[event->sample.named_stack] : "",
			event->sample.weight };
	} else if (event->kind == WK_EVENT_NOTE && getenv("WICK_TEST_NOTES")) {
		fprintf(stderr, "%.*s\n", WK_STR_ARG(event->note.text));
	}
	return true;
}

static int collapse_order(const void *a, const void *b)
{
	return strcmp(((const struct collapse_line *)a)->text,
		      ((const struct collapse_line *)b)->text);
}

static void collapse_free(struct collapse_lines *seen, size_t frames, size_t stacks)
{
	for (size_t i = 1; i <= frames; i++)
		wk_free(seen->frames[i]);
	for (size_t i = 1; i <= stacks; i++)
		wk_free(seen->stacks[i]);
	wk_free(seen->frames);
	wk_free(seen->stacks);
	wk_free(seen->lines);
}

struct collapse_counted {
	struct collapse_lines seen;
	size_t frames, stacks;
};

static bool collapse_count(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct collapse_counted *counted = context;

	counted->frames += event->kind == WK_EVENT_FRAME;
	counted->stacks += event->kind == WK_EVENT_STACKS ? event->stacks.count : 0;
	return collapse_take(&counted->seen, event, err);
}

/* The lines, to be freed; or the error's text. */
static char *collapse_lines(const struct wk_reader *reader, const void *text, size_t len,
			    const struct wk_collapse *collapse)
{
	struct collapse_counted counted = { 0 };
	struct wk_sink sink = { .take = collapse_count, .context = &counted };
	struct wk_input input = { .bytes = wk_bytes_of(text, len), .name = "test",
				  .options.collapse = collapse };
	struct collapse_lines *seen = &counted.seen;
	struct wk_buf out = { 0 };
	struct wk_err err = { 0 };

	if (!reader->read(&input, &sink, &err))
		wk_buf_add_fmt(&out, "%s\n", err.text);
	if (seen->count)
		qsort(seen->lines, seen->count, sizeof(*seen->lines), collapse_order);
	for (size_t i = 0; i < seen->count; i++) {
		uint64_t sum = seen->lines[i].count;

		while (i + 1 < seen->count &&
		       strcmp(seen->lines[i].text, seen->lines[i + 1].text) == 0)
			sum += seen->lines[++i].count;
		wk_buf_add_fmt(&out, "%s %" PRIu64 "\n", seen->lines[i].text, sum);
	}
	collapse_free(seen, counted.frames, counted.stacks);
	return out.at ? out.at : wk_strndup("", 0);
}

#endif
